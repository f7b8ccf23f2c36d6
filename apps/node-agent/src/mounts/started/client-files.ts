import { constants } from 'node:fs'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { Machine } from '../../machine/machine.js'
import { parseMountinfo } from '../../machine/mounts.js'

/** Counts the files that servers of this machine have open for clients, by mount point; mounts without one are left out. */
export type ClientFiles = () => Promise<ReadonlyMap<string, number>>

const serverNames = /^(?:smbd|ganesha)/
/** O_PATH, for which Node has no name. */
const pathOnly = 0o10_000_000

/**
 * Reads `/proc` of Samba and nfs-ganesha. A file is assigned by the id of its mount, since ganesha opens by handle, where
 * the kernel may not know a path. Folders do not count. The kernel's own NFS server opens files that no `/proc` shows.
 */
export function createClientFiles(machine: Machine): ClientFiles {
  return async () => {
    const found = new Map<string, number>()
    const pathsByNamespace = new Map<string, ReadonlyMap<string, string>>()
    for (const pid of machine.list('/proc').filter((name) => /^\d+$/.test(name))) {
      if (!serverNames.test(machine.read(`/proc/${pid}/comm`) ?? '')) continue
      const namespace = machine.link(`/proc/${pid}/ns/mnt`) ?? ''
      const paths = pathsByNamespace.get(namespace) ?? mountPathsOf(machine, pid)
      pathsByNamespace.set(namespace, paths)
      for (const path of openFilesOf(machine, pid, paths)) found.set(path, (found.get(path) ?? 0) + 1)
      await yieldToOthers()
    }
    return found
  }
}

/** Returns rclone's mount points by mount id, as the process sees them. */
function mountPathsOf(machine: Machine, pid: string): ReadonlyMap<string, string> {
  const mounts = parseMountinfo(machine.read(`/proc/${pid}/mountinfo`) ?? '')
  return new Map(
    mounts.filter(({ fsType }) => fsType === 'fuse.rclone').map((mount) => [String(mount.id), mount.mountPoint]),
  )
}

function openFilesOf(machine: Machine, pid: string, paths: ReadonlyMap<string, string>): readonly string[] {
  if (paths.size === 0) return []
  return machine.list(`/proc/${pid}/fdinfo`).flatMap((fd) => {
    const info = machine.read(`/proc/${pid}/fdinfo/${fd}`) ?? ''
    const path = paths.get(/^mnt_id:\s*(\d+)$/m.exec(info)?.[1] ?? '')
    const flags = Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '0', 8)
    return path === undefined || (flags & (constants.O_DIRECTORY | pathOnly)) !== 0 ? [] : [path]
  })
}
