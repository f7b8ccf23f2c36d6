import { posix } from 'node:path'
import type { InventoryFilesystem, InventoryProblem } from '@roost/api-types/agent'
import { duplicateUuid } from '@roost/api-types/checks'
import type { Machine } from '../machine/machine.js'
import type { LocalFilesystem } from '../machine/mounts.js'
import type { RunCommand } from '../machine/run-command.js'
import { readUdev } from './udev.js'

/** A mounted filesystem with what it lies on. */
export interface KnownFilesystem {
  readonly filesystem: LocalFilesystem
  readonly uuid: string | null
  /** Kernel name of the block device that was mounted, such as `sda1` or `dm-0`; null for pools. */
  readonly block: string | null
  /** Kernel name of the disk below it. */
  readonly disk: string | null
}

export interface FilesystemReader {
  read(filesystems: readonly LocalFilesystem[]): Promise<readonly KnownFilesystem[]>
}

const blkidDeadlineMs = 3_000

/**
 * Finds the UUID of each filesystem: from the links of `/dev/disk/by-uuid`, from udev, or, where neither knows it, by
 * `blkid` from the disk (root alone may do that). Nothing is remembered: no number of a mount or a disk is its own for long.
 */
export function createFilesystemReader(machine: Machine, run: RunCommand): FilesystemReader {
  async function askBlkid(block: string): Promise<string | null> {
    const device = machine.path(`/dev/${block}`)
    const result = await run('blkid', ['-p', '-s', 'UUID', '-o', 'value', device], { deadlineMs: blkidDeadlineMs })
    return result.exitCode === 0 ? normalized(result.stdout) : null
  }

  return {
    async read(filesystems) {
      const uuids = readUuids(machine)
      return Promise.all(
        filesystems.map(async (filesystem) => {
          const block = blockOf(machine, filesystem)
          if (block === null) return { filesystem, uuid: null, block, disk: null }
          const knownUuid = uuids.get(block) ?? normalized(udevUuid(machine, filesystem.device))
          return { filesystem, uuid: knownUuid ?? (await askBlkid(block)), block, disk: diskOf(machine, block) }
        }),
      )
    },
  }
}

/** A machine full of containers mounts parts of one filesystem a thousand times over; the mount of its root shows where it is. */
const mostMountPoints = 32

export function describeFilesystem({ filesystem, uuid, disk }: KnownFilesystem): InventoryFilesystem {
  const { source, fsType, mounts } = filesystem
  const roots = mounts.filter((mount) => mount.root === '/')
  const points = new Set((roots.length > 0 ? roots : mounts).map((mount) => mount.mountPoint))
  return { source, uuid, fs_type: fsType, mount_points: [...points].slice(0, mostMountPoints), disk }
}

/** One UUID on several filesystems: a clone of a disk. It identifies neither of them then. */
export function duplicateUuids(known: readonly KnownFilesystem[]): readonly InventoryProblem[] {
  const byUuid = new Map<string, string[]>()
  for (const { uuid, filesystem } of known)
    if (uuid !== null) byUuid.set(uuid, [...(byUuid.get(uuid) ?? []), filesystem.source])
  return [...byUuid].flatMap(([uuid, sources]) => duplicateUuid.find({ uuid, sources }))
}

/** Reads the UUIDs of filesystems by the kernel names of their block devices. The kernel itself reports those of btrfs. */
function readUuids(machine: Machine): ReadonlyMap<string, string> {
  const uuids = new Map<string, string>()
  const links = '/dev/disk/by-uuid'
  for (const uuid of machine.list(links)) {
    const target = machine.link(`${links}/${uuid}`)
    if (target !== undefined) uuids.set(posix.basename(target), uuid.toLowerCase())
  }
  for (const uuid of machine.list('/sys/fs/btrfs'))
    for (const block of machine.list(`/sys/fs/btrfs/${uuid}/devices`)) uuids.set(block, uuid)
  return uuids
}

function udevUuid(machine: Machine, device: string): string {
  return readUdev(machine, device).get('ID_FS_UUID') ?? ''
}

function normalized(uuid: string): string | null {
  return uuid.trim().toLowerCase() || null
}

/** Returns the block device by its number, because names in mountinfo may be outdated; btrfs has a number of its own, and is found by its source. */
function blockOf(machine: Machine, { device, source }: LocalFilesystem): string | null {
  const byNumber = machine.link(`/sys/dev/block/${device}`)
  if (byNumber !== undefined) return posix.basename(byNumber)
  if (!source.startsWith('/dev/')) return null
  return posix.basename(machine.link(source) ?? source)
}

/** Returns the disk of a partition, or below a mapping or an array if there is only one. */
function diskOf(machine: Machine, block: string): string | null {
  const parent = partitionParent(machine, block) ?? block
  const slaves = machine.list(`/sys/class/block/${parent}/slaves`)
  if (slaves.length === 0) return parent
  const disks = new Set(slaves.map((slave) => diskOf(machine, slave)))
  return disks.size === 1 ? ([...disks][0] ?? null) : null
}

/** `/sys/class/block/sda1` leads to `…/block/sda/sda1`, which has a file `partition`. */
function partitionParent(machine: Machine, block: string): string | undefined {
  if (machine.stamp(`/sys/class/block/${block}/partition`) === undefined) return undefined
  const target = machine.link(`/sys/class/block/${block}`)
  return target === undefined ? undefined : posix.basename(posix.dirname(target))
}
