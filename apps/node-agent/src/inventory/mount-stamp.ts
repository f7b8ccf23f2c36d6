import { posix } from 'node:path'
import type { ReadSlowly } from '../collectors/engine/slow-reader.js'
import { kernelOf, type Machine } from '../machine/machine.js'
import type { Mount } from '../machine/mounts.js'
import { unlessDenied } from '../machine/try-read.js'

/**
 * Tells what is mounted from what was mounted at the same path. The kernel gives numbers of mounts and disks out again: a
 * disk that replaces another within seconds may get both, but never the other's sequence number.
 */
export type MountStamp = (mount: Mount) => string

export interface MountStamps {
  /** Reads the sequence numbers of the disks below these mounts. Never rejects. */
  read(mounts: readonly Mount[]): Promise<MountStamp>
}

export interface MountStampsOptions {
  readonly machine: Machine
  readonly readSlowly: ReadSlowly
  /** A clock that never jumps, in milliseconds. */
  readonly monotonic: () => number
}

/** Numbers are read again when a mount changed, and once a minute: a reading costs two processes. */
const freshMs = 60_000

export function createMountStamps({ machine, readSlowly, monotonic }: MountStampsOptions): MountStamps {
  const kernel = kernelOf(machine)
  let askedAt = -Infinity
  let asked: readonly Mount[] | undefined
  let known: ReadonlyMap<string, string | undefined> = new Map()

  async function ask(mounts: readonly Mount[], paths: readonly string[]): Promise<void> {
    if (mounts === asked && monotonic() - askedAt < freshMs) return
    asked = mounts
    askedAt = monotonic()
    const files = await readSlowly(paths)
    // A disk that does not answer now has the number that it had.
    known = new Map(paths.map((path) => [path, files.get(path)?.text?.trim() ?? known.get(path)]))
  }

  return {
    async read(mounts) {
      const devices = new Set(mounts.filter(({ kind }) => kind !== 'pseudo').map(({ device }) => device))
      const files = new Map([...devices].map((device) => [device, sequenceFiles(kernel, device)]))
      await ask(mounts, [...new Set([...files.values()].flat())])
      return ({ id, device, mountPoint }) => {
        const sequence = files.get(device)?.map((path) => known.get(path))
        return `${id} ${device} ${mountPoint} ${sequence?.find((text) => text !== undefined) ?? ''}`
      }
    },
  }
}

/** Returns the files that have the sequence number of a disk, since Linux 5.15. A partition has that of its disk. */
function sequenceFiles(kernel: Machine, device: string): readonly string[] {
  const target = unlessDenied(() => kernel.link(`/sys/dev/block/${device}`))
  if (target === undefined) return []
  const names = [posix.basename(target), posix.basename(posix.dirname(target))]
  return names.map((name) => `/sys/block/${name}/diskseq`)
}
