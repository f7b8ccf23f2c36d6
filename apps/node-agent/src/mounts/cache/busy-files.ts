import { join } from 'node:path'
import type { Machine } from '../../host/machine.js'

/**
 * Keys of the files of a cache that its rclone has open: for clients, or to upload them. Others hold the same files open
 * only through the mount.
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
