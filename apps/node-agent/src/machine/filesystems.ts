import type { Machine } from './machine.js'
import { localFilesystems, readMounts } from './mounts.js'
import type { LocalFilesystem, Mount } from './mounts.js'
import type { ProbeResult, StatfsProbe } from './statfs-probe.js'

export interface FilesystemReading {
  readonly filesystem: LocalFilesystem
  readonly result: ProbeResult
}

export interface Filesystems {
  /** Reads the usage of every local filesystem, which is at most a report interval old; never rejects because of a mount. */
  read(): Promise<readonly FilesystemReading[]>
}

export interface FilesystemsOptions {
  readonly machine: Machine
  readonly probe: StatfsProbe
  /** A clock that never jumps, in milliseconds. */
  readonly monotonic?: () => number
}

/** All callers within a report interval get the same values. Half a second less, because reports are not exactly on time. */
const freshMs = 9_500
/** One that hangs costs a process that is killed after seconds. */
const stuckAgainMs = 60_000

/** Reads the local filesystems, and never touches another kind. */
export function createFilesystems(options: FilesystemsOptions): Filesystems {
  const { machine, probe, monotonic = () => performance.now() } = options
  const last = new Map<string, { readonly askedAt: number; readonly result: ProbeResult }>()

  const local = localFilesystemsOf(machine)

  let underWay: Promise<readonly FilesystemReading[]> | undefined

  function isDue(mount: Mount): boolean {
    const known = last.get(keyOf(mount))
    return !known || monotonic() - known.askedAt >= (known.result.state === 'stuck' ? stuckAgainMs : freshMs)
  }

  async function ask(mounts: readonly Mount[]): Promise<void> {
    if (mounts.length === 0) return
    const askedAt = monotonic()
    const results = await probe.probeAll(mounts)
    for (const [i, result] of results.entries()) last.set(keyOf(mounts[i] as Mount), { askedAt, result })
  }

  async function read(): Promise<readonly FilesystemReading[]> {
    await ask(firstMounts(local()).filter(isDue))
    // A mount that was unmounted meanwhile is left out: the filesystem below it answered.
    const now = local()
    const mounts = firstMounts(now)
    const present = new Set(mounts.map(keyOf))
    for (const key of last.keys()) if (!present.has(key)) last.delete(key)
    probe.keepOnly(mounts)
    return now.flatMap((filesystem) => {
      const known = last.get(keyOf(filesystem.mounts[0]))
      return known ? [{ filesystem, result: known.result }] : []
    })
  }

  return { read: () => (underWay ??= read().finally(() => (underWay = undefined))) }
}

/** The kernel reuses the numbers of mounts. */
const keyOf = ({ id, device, mountPoint }: Mount) => `${id} ${device} ${mountPoint}`
const firstMounts = (filesystems: readonly LocalFilesystem[]) => filesystems.map(({ mounts }) => mounts[0])

/** Reads the mounts at every call, and derives the filesystems only when they have changed. */
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
