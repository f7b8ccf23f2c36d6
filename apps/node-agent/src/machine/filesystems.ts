import type { Machine } from './machine.js'
import { localFilesystems, readMounts } from './mounts.js'
import type { LocalFilesystem, Mount } from './mounts.js'
import type { ProbeResult, StatfsProbe } from './statfs-probe.js'

export interface FilesystemReading {
  readonly filesystem: LocalFilesystem
  readonly result: ProbeResult
}

export interface Filesystems {
  /** Every local filesystem with its values, which are at most a report interval old; never rejects because of a mount. */
  read(): Promise<readonly FilesystemReading[]>
}

export interface FilesystemsOptions {
  readonly machine: Machine
  readonly probe: StatfsProbe
  /** A clock that never jumps, in milliseconds. */
  readonly monotonic?: () => number
}

/** Who asks again within a report interval gets the same values; half a second of slack, since reports are not on the dot. */
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
    // What was unmounted meanwhile answered with the values of the filesystem below it, and is left out.
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

/** The kernel gives the numbers of mounts out again. */
const keyOf = ({ id, device, mountPoint }: Mount) => `${id} ${device} ${mountPoint}`
const firstMounts = (filesystems: readonly LocalFilesystem[]) => filesystems.map(({ mounts }) => mounts[0])

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
