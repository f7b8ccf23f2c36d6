import { normalizeAddress } from '@roost/api-types/agent'
import type { InventoryDevice, InventoryDeviceRing } from '@roost/api-types/agent'
import type { DeclaredDevice, InventoryConfig } from '../config.js'
import type { LocalFilesystem } from '../machine/mounts.js'
import type { JoinedDevice } from '../swift/rings/ring-devices.js'
import type { StorageServer } from '../swift/config/storage-servers.js'

/** Where a device belongs on this node, whether or not something is mounted there. */
export interface DeviceLocation {
  readonly key: string
  readonly name: string
  readonly ring: InventoryDevice['ring']
  readonly mountPoint: string
  readonly policies: readonly number[]
  /** Its entry in each ring; none for one that is in no ring. */
  readonly rings: readonly InventoryDeviceRing[]
  /** Its server does not require a mount there: a folder of another filesystem is a device, too. */
  readonly mayBeFolder: boolean
  /** False for a filesystem among the devices that no ring names. */
  readonly managed: boolean
}

const usualDirectory = '/srv/node'

/** Returns the locations that the rings name, and the filesystems beside them that no ring names. */
export function ringLocations(
  own: readonly JoinedDevice[],
  servers: readonly StorageServer[],
  config: Pick<InventoryConfig, 'devicesDirectory'>,
  filesystems: readonly LocalFilesystem[],
): readonly DeviceLocation[] {
  const configured = config.devicesDirectory && withoutSlash(config.devicesDirectory)
  const locations = own.map((device): DeviceLocation => {
    const { ip, port, replicationIp, replicationPort } = device
    const server = serverOf(device, servers)
    return {
      key: device.key,
      name: device.name,
      ring: { ip, port, replication_ip: replicationIp, replication_port: replicationPort },
      mountPoint: `${configured ?? withoutSlash(server?.devices ?? usualDirectory)}/${device.name}`,
      policies: device.policies,
      rings: device.rings,
      mayBeFolder: server?.mountCheck === false,
      managed: true,
    }
  })
  const claimed = new Set(locations.map((location) => location.mountPoint))
  const directories = new Set(
    [...locations, { mountPoint: `${usualDirectory}/` }].map((location) => parent(location.mountPoint)),
  )
  const beside = filesystems
    .flatMap((filesystem) => filesystem.mounts.map((mount) => mount.mountPoint))
    .filter((mountPoint) => directories.has(parent(mountPoint)) && !claimed.has(mountPoint))
  return [...locations, ...beside.map((mountPoint) => location(mountPoint, [], false))]
}

/** The server that is bound to the device's address and port, to the address, or at least to the port, knows the device. */
function serverOf(device: JoinedDevice, servers: readonly StorageServer[]): StorageServer | undefined {
  const byAddress = (server: StorageServer): boolean =>
    isSame(server.address, device.ip) || isSame(server.address, device.replicationIp)
  const byPort = (server: StorageServer): boolean => server.port === device.port
  const found = servers.find((server) => byAddress(server) && byPort(server)) ?? servers.find(byAddress)
  return found ?? servers.find(byPort) ?? servers[0]
}

/** One IPv6 address has several spellings. */
function isSame(one: string | null, other: string): boolean {
  return one !== null && (normalizeAddress(one) ?? one) === (normalizeAddress(other) ?? other)
}

function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, '')
}

/** Returns the locations that the configuration declares. */
export function declaredLocations(
  declared: NonNullable<InventoryConfig['declaredDevices']>,
  filesystems: readonly LocalFilesystem[],
): readonly DeviceLocation[] {
  if (declared === 'local-filesystems')
    return dataFilesystems(filesystems).map(({ mounts }) => location(mounts[0].mountPoint, [0], true))
  return declared.map((device: DeclaredDevice) => ({
    ...location(withoutSlash(device.mountPoint), device.policies, true),
    name: device.name,
  }))
}

const withoutData = new Set(['vfat', 'msdos', 'exfat', 'ntfs3', 'hfsplus', 'ufs'])

/**
 * Filesystems on which somebody keeps data: none that is read-only or made for exchange with other systems, and one a ZFS pool, whose
 * datasets all share the same free space.
 */
function dataFilesystems(filesystems: readonly LocalFilesystem[]): readonly LocalFilesystem[] {
  const pools = new Set<string>()
  return filesystems.filter(({ fsType, readOnly, source }) => {
    if (readOnly || withoutData.has(fsType)) return false
    if (fsType !== 'zfs') return true
    const pool = source.split('/')[0] ?? source
    if (pools.has(pool)) return false
    pools.add(pool)
    return true
  })
}

function location(mountPoint: string, policies: readonly number[], managed: boolean): DeviceLocation {
  return {
    key: mountPoint,
    name: lastPart(mountPoint),
    ring: null,
    mountPoint,
    policies,
    rings: [],
    mayBeFolder: false,
    managed,
  }
}

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf('/'))
}

/** Returns the last part of the path; the root filesystem keeps its slash. */
function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1) || '/'
}
