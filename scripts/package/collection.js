import { cpSync, mkdirSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { collection } from './products.js'
import { signAll } from './sign.js'
import { normalize } from './stage.js'

/** Writes the agent's packages of this version, with their digests and signatures, below `tree`. Returns how many there are. */
export function stageCollection({ version, epoch }, { key, out }, tree) {
  const folder = join(tree, collection.folder)
  mkdirSync(folder, { recursive: true })
  const starts = [`${collection.of}_${version}_`, `${collection.of}-${version}-`]
  const files = readdirSync(out).filter(
    (name) => starts.some((start) => name.startsWith(start)) && !name.endsWith('.sig'),
  )
  for (const file of files) cpSync(join(out, basename(file)), join(folder, file))
  signAll(folder, key)
  normalize(tree, epoch)
  return files.length
}
