import { join } from 'node:path'
import type { Machine } from '../../machine/machine.js'
import type { MountSpec } from '../desired/mount-spec.js'
import type { ShareMounts } from '../started/share-mounts.js'

export interface BusyFilesOptions {
  readonly shareMounts: Pick<ShareMounts, 'pidOf'>
  /** Lists the processes of its kernel. */
  readonly machine: Pick<Machine, 'list' | 'link'>
  /** Holds the caches of all shares. */
  readonly cacheDirectory: string
}

/** Returns the keys of the files that a share's rclone has open. Rejects when it does not answer. */
export type BusyFiles = (spec: MountSpec) => Promise<ReadonlySet<string>>

export function createBusyFiles({ shareMounts, machine, cacheDirectory }: BusyFilesOptions): BusyFiles {
  return async ({ share }) => {
    const pid = await shareMounts.pidOf(share)
    if (pid === undefined) throw new Error(`The mount of share ${share} is not running.`)
    return readBusyFiles(machine, pid, join(cacheDirectory, String(share)))
  }
}

/**
 * Returns the keys of the files of a cache that its rclone has open: for clients, or to upload them. Other programs open
 * these files only through the mount.
 */
export function readBusyFiles(
  machine: Pick<Machine, 'list' | 'link'>,
  pid: number,
  cache: string,
): ReadonlySet<string> {
  const data = `${join(cache, 'vfs')}/`
  const keys = new Set<string>()
  for (const fd of machine.list(`/proc/${pid}/fd`)) {
    const path = machine.link(`/proc/${pid}/fd/${fd}`)
    if (path?.startsWith(data) === true) keys.add(path.slice(data.length))
  }
  return keys
}
