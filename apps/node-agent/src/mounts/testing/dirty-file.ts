import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Writes a file into a cache of rclone that is not uploaded. */
export function writeDirtyFile(cache: string, key: string): void {
  const texts = { vfs: 'abc', vfsMeta: '{"Dirty": true}' }
  for (const [folder, text] of Object.entries(texts)) {
    const path = join(cache, folder, key)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}
