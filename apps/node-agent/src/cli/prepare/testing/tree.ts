import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/** Returns every path below a machine's root with its mode, owner and content, except for the agent's own record. */
export function treeOf(root: string, path = '/'): readonly string[] {
  return readdirSync(join(root, path)).flatMap((name) => {
    const inside = join(path, name)
    if (inside === '/agent/prepared') return []
    const file = join(root, inside)
    const found = lstatSync(file)
    const head = `${inside} ${found.mode.toString(8)} ${found.uid}:${found.gid}`
    if (found.isSymbolicLink()) return [`${head} ${readlinkSync(file)}`]
    if (found.isDirectory()) return [head, ...treeOf(root, inside)]
    return [`${head} ${readFileSync(file, 'utf8')}`]
  })
}
