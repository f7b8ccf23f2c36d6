import type { InventoryDevice, InventoryProblem } from '@roost/api-types/agent'
import {
  deviceFailed,
  filesystemErrors,
  mountStuck,
  networkFilesystem,
  sharedFilesystem,
} from '@roost/api-types/checks'
import type { Machine } from '../machine/machine.js'
import { folderAt, type Mount, mountAt } from '../machine/mounts.js'
import type { ProbeResult } from '../machine/statfs-probe.js'
import { spaceOf } from './device-probe.js'
import { type BlockDevice, type BlockDevices } from './disks.js'
import type { KnownFilesystem } from './filesystems.js'
import type { FilesystemErrors } from './filesystem-errors.js'
import { parseFstab, sourcePresence } from './fstab.js'
import type { MountStamp } from './mount-stamp.js'
import type { DeviceLocation } from './device-locations.js'
import { unlessDenied } from '../machine/try-read.js'

export interface DeviceFacts {
  readonly machine: Machine
  /** Where the disks below the mounts are seen. */
  readonly kernel: Machine
  readonly mounts: readonly Mount[]
  readonly filesystems: readonly KnownFilesystem[]
  readonly blocks: BlockDevices
  readonly stampOf: MountStamp
  /** Reads the mount for real, with a deadline. */
  readonly probe: (mount: Mount) => Promise<ProbeResult>
  readonly errors: FilesystemErrors
}

export interface ReadDevice {
  readonly device: InventoryDevice
  /** The mount at the time of the reading. */
  readonly mount: Mount | undefined
  /** Distinguishes it from what is mounted there later. */
  readonly stamp: string
  readonly problems: readonly InventoryProblem[]
}

/** Reads each location: what is mounted there, whether it can be read, and which disk it lies on. */
export async function readDevices(
  locations: readonly DeviceLocation[],
  facts: DeviceFacts,
): Promise<readonly ReadDevice[]> {
  const expected = parseFstab(unlessDenied(() => facts.machine.read('/etc/fstab')) ?? '')
  return Promise.all(
    locations.map(async (location) => {
      const mount = mountAt(location.mountPoint, facts.mounts) ?? folderOf(location, facts)
      if (mount) return readMounted(location, mount, facts)
      const source = expected.get(location.mountPoint)
      const status = absence(facts, location.mountPoint, source)
      const uuid = status === 'unmounted' && source?.startsWith('UUID=') ? source.slice(5).replaceAll('"', '') : null
      const device = { ...describeLocation(location), status, uuid: uuid?.toLowerCase() ?? null }
      return { device, mount: undefined, stamp: '', problems: [] }
    }),
  )
}

/**
 * Returns the folder of a device whose server requires no mount. Where fstab expects a filesystem, or where another device beside
 * it is mounted, the folder is an empty mount point and no device.
 */
function folderOf({ mountPoint, mayBeFolder }: DeviceLocation, facts: DeviceFacts): Mount | undefined {
  if (!mayBeFolder || hasFolder(facts, mountPoint) !== true) return undefined
  const directory = parentOf(mountPoint)
  const expected = [...parseFstab(unlessDenied(() => facts.machine.read('/etc/fstab')) ?? '').keys()]
  const mounted = facts.mounts.map((mount) => mount.mountPoint)
  const isForMounts = [...expected, ...mounted].some((path) => path !== '/' && parentOf(path) === directory)
  return isForMounts ? undefined : folderAt(mountPoint, facts.mounts)
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

/**
 * `missing` where the disk that fstab names, or the folder to mount it on, is not there; else `unmounted`. Only folders of
 * the root filesystem are read: nothing works without it anyway, while another may hang the agent.
 */
function absence(
  { machine, kernel, mounts }: DeviceFacts,
  mountPoint: string,
  source: string | undefined,
): 'missing' | 'unmounted' {
  const presence = sourcePresence(kernel, source)
  if (presence !== 'unknown') return presence === 'absent' ? 'missing' : 'unmounted'
  return hasFolder({ machine, mounts }, mountPoint) === false ? 'missing' : 'unmounted'
}

/** Says whether the folder exists; undefined where that is not looked up. */
function hasFolder({ machine, mounts }: Pick<DeviceFacts, 'machine' | 'mounts'>, path: string): boolean | undefined {
  const slash = path.lastIndexOf('/')
  const isOnRoot = mounts.every((mount) => mount.mountPoint === '/' || !path.startsWith(`${mount.mountPoint}/`))
  const siblings = isOnRoot ? unlessDenied(() => machine.list(path.slice(0, slash) || '/')) : undefined
  return siblings?.includes(path.slice(slash + 1))
}

async function readMounted(location: DeviceLocation, mount: Mount, facts: DeviceFacts): Promise<ReadDevice> {
  const device = {
    ...describeLocation(location),
    mount_point: mount.mountPoint,
    fs_type: mount.fsType,
    ...hardwareOf(mount, facts),
    // Other folders of the filesystem have the same identity.
    ...(mount.isFolder === true ? { uuid: null, serial: null } : {}),
  }
  const stamp = facts.stampOf(mount)
  if (mount.kind === 'network')
    return { device: { ...device, status: 'failed' }, mount, stamp, problems: networkFilesystem.find(mount) }
  const result = await facts.probe(mount)
  if (result.state !== 'ok')
    return { device: { ...device, status: 'failed' }, mount, stamp, problems: unreadable(mount, result) }
  const errors = await facts.errors.of(mount, stamp)
  const { mountPoint, source } = mount
  const problems = errors === undefined ? [] : filesystemErrors.find({ mountPoint, source, ...errors })
  if (errors?.isNow === true) return { device: { ...device, status: 'failed' }, mount, stamp, problems }
  return { device: { ...device, figures: spaceOf(result) }, mount, stamp, problems }
}

const unknownDevice: BlockDevice = { sizeBytes: null, isRotational: null, disk: null }

type OfHardware = Pick<InventoryDevice, 'uuid' | 'serial' | 'model' | 'is_rotational' | 'size_bytes'>

/** Describes what lies below a mount; nothing is known of a filesystem without a disk, such as one in memory. */
function hardwareOf(mount: Mount, { filesystems, blocks }: DeviceFacts): OfHardware {
  const known = filesystems.find(({ filesystem }) => filesystem.device === mount.device)
  if (!known) return { uuid: null, serial: null, model: null, is_rotational: null, size_bytes: null }
  const { disk, isRotational } = blocks.get(known.disk ?? '') ?? unknownDevice
  const { sizeBytes } = blocks.get(known.block ?? '') ?? unknownDevice
  return {
    uuid: known.uuid,
    serial: disk?.serial ?? null,
    model: disk?.model ?? null,
    is_rotational: isRotational,
    size_bytes: sizeBytes,
  }
}

function describeLocation({ key, name, ring, rings, policies, managed }: DeviceLocation): InventoryDevice {
  return {
    key,
    name,
    ring,
    uuid: null,
    serial: null,
    model: null,
    mount_point: null,
    fs_type: null,
    is_rotational: null,
    size_bytes: null,
    policies: [...policies],
    status: managed ? 'ok' : 'unmanaged',
    rings: [...rings],
    figures: null,
  }
}

function unreadable({ mountPoint }: Mount, { state, message }: Exclude<ProbeResult, { state: 'ok' }>) {
  return (state === 'stuck' ? mountStuck : deviceFailed).find({ mountPoint, message })
}

/** One filesystem under two names counts twice as capacity: the operator must remove one of the two. */
export function sharedFilesystems(devices: readonly ReadDevice[]): readonly InventoryProblem[] {
  const byFilesystem = new Map<string, string[]>()
  for (const { device, mount } of devices)
    if (mount) byFilesystem.set(mount.device, [...(byFilesystem.get(mount.device) ?? []), device.name])
  return [...byFilesystem.values()].flatMap((names) => sharedFilesystem.find({ names }))
}
