import type { Machine } from './machine.js'
import { localFilesystems, readMounts } from './mounts.js'
import type { LocalFilesystem, Mount } from './mounts.js'
import type { ProbeResult, StatfsProbe } from './statfs-probe.js'

export interface FilesystemReading {
  readonly filesystem: LocalFilesystem
  readonly result: ProbeResult
}

export interface Filesystems {
  /** Every local filesystem with its figures. They may be a minute old; never rejects because of a mount. */
  read(): Promise<readonly FilesystemReading[]>
}

export interface FilesystemsOptions {
  readonly machine: Machine
  readonly probe: StatfsProbe
  /** A clock that never jumps, in milliseconds. */
  readonly monotonic?: () => number
}

/** A question costs a short process, which at each report would be most of what the agent takes. */
const askEveryMs = 60_000

/** Reads the local filesystems, never touches another kind, and asks each once a minute. */
export function createFilesystems(options: FilesystemsOptions): Filesystems {
  const { machine, probe, monotonic = () => performance.now() } = options
  const last = new Map<number, { readonly askedAt: number; readonly result: ProbeResult }>()

  const local = localFilesystemsOf(machine)

  async function figuresOf(filesystem: LocalFilesystem): Promise<FilesystemReading> {
    const [mount] = filesystem.mounts
    const known = last.get(mount.id)
    // Half a second of slack, or a report just before the minute is up would make it a minute and an interval.
    if (known && monotonic() - known.askedAt < askEveryMs - 500) return { filesystem, result: known.result }
    const askedAt = monotonic()
    const result = await probe.probe(mount)
    last.set(mount.id, { askedAt, result })
    return { filesystem, result }
  }

  return {
    async read() {
      const before = local()
      const readings = await Promise.all(before.map(figuresOf))
      // What was unmounted meanwhile answered with the figures of the filesystem below it.
      const mounts = local().map((one) => one.mounts[0])
      const present = new Set(mounts.map((mount) => mount.id))
      for (const id of last.keys()) if (!present.has(id)) last.delete(id)
      probe.keepOnly(mounts)
      return readings.filter(({ filesystem }) => present.has(filesystem.mounts[0].id))
    },
  }
}

/** Looks at the mounts at every call, and thinks about them only when they have changed. */
function localFilesystemsOf(machine: Machine): () => readonly LocalFilesystem[] {
  let mounts: readonly Mount[] = []
  let filesystems: readonly LocalFilesystem[] = []
  return () => {
    const now = readMounts(machine)
    if (now !== mounts) filesystems = localFilesystems(now)
    mounts = now
    return filesystems
  }
}
