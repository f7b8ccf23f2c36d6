import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runToEnd } from './processes.js'

export interface SmallDisk {
  readonly path: string
  remove(): Promise<void>
}

/** Mounts a disk of the given size, such as `20m`, in memory. Needs root. */
export async function mountSmallDisk(size: string): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), 'roost-full-'))
  const { code, stderr } = await runToEnd('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path])
  if (code !== 0) throw new Error(stderr)
  return {
    path,
    async remove() {
      await runToEnd('umount', ['--lazy', path])
      await rm(path, { recursive: true })
    },
  }
}
