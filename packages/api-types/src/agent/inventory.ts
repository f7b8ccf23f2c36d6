import * as z from 'zod/mini'
import { HardwareReport } from './hardware.js'
import { Bytes, Count, SmallCount } from './numbers.js'

const text = z.nullable(z.string())

/** Total, free and available bytes of a mounted filesystem: `blocks`, `bfree` and `bavail` of statvfs times `frsize`. */
export const FilesystemSpace = z.object({ total_bytes: Bytes, free_bytes: Bytes, available_bytes: Bytes })
export type FilesystemSpace = z.infer<typeof FilesystemSpace>

export const InventoryHost = z.object({
  hostname: z.string(),
  os: text,
  kernel: text,
  architecture: z.string(),
  cpu_model: text,
  cpu_cores: SmallCount,
  memory_bytes: Bytes,
})
export type InventoryHost = z.infer<typeof InventoryHost>

export const InventoryAddress = z.object({
  interface: z.string(),
  address: z.string(),
  family: z.enum(['ipv4', 'ipv6']),
  mac: text,
})
export type InventoryAddress = z.infer<typeof InventoryAddress>

/** Which of its addresses the node seems to use for what, by the rings and the routes; null where nothing tells. */
export const InventoryFacing = z.object({ cluster_ip: text, outward_ip: text, replication_ip: text })
export type InventoryFacing = z.infer<typeof InventoryFacing>

export const InventoryRoles = z.object({
  runs_account_container: z.boolean(),
  runs_gateway: z.boolean(),
  runs_object: z.boolean(),
  runs_proxy: z.boolean(),
})
export type InventoryRoles = z.infer<typeof InventoryRoles>

export const InventoryDisk = z.object({
  /** The kernel's name, such as `sda`; never an identity. */
  name: z.string(),
  serial: text,
  model: text,
  wwn: text,
  size_bytes: z.nullable(Bytes),
  is_rotational: z.nullable(z.boolean()),
})
export type InventoryDisk = z.infer<typeof InventoryDisk>

export const InventoryFilesystem = z.object({
  /** What is mounted, such as `/dev/sda1`. */
  source: z.string(),
  uuid: text,
  fs_type: z.string(),
  mount_points: z.array(z.string()),
  /** Kernel name of the disk below it, where there is one. */
  disk: text,
})
export type InventoryFilesystem = z.infer<typeof InventoryFilesystem>

export const InventoryDeviceStatus = z.enum(['ok', 'unmounted', 'missing', 'failed', 'unmanaged'])
export type InventoryDeviceStatus = z.infer<typeof InventoryDeviceStatus>

/** A place for data: a device of a ring, or one that the agent's configuration declares. */
export const InventoryDevice = z.object({
  /**
   * The device's place on this node, such as `10.0.0.1:6200/d1` or a mount point: names it in `device_usage`. A new
   * disk in the same place has the same key, and another UUID or serial.
   */
  key: z.string(),
  name: z.string(),
  /** Its address in the rings, which joins one device over several rings; null where no ring names it. */
  ring: z.nullable(
    z.object({ ip: z.string(), port: SmallCount, replication_ip: z.string(), replication_port: SmallCount }),
  ),
  uuid: text,
  serial: text,
  model: text,
  mount_point: text,
  fs_type: text,
  is_rotational: z.nullable(z.boolean()),
  size_bytes: z.nullable(Bytes),
  /** Indexes of the storage policies it is assigned to, ascending. */
  policies: z.array(SmallCount),
  status: InventoryDeviceStatus,
  /** Null where no filesystem is mounted, or it could not be read. */
  figures: z.nullable(FilesystemSpace),
})
export type InventoryDevice = z.infer<typeof InventoryDevice>

export const InventoryPolicy = z.object({
  index: SmallCount,
  name: z.string(),
  aliases: z.array(z.string()),
  is_default: z.boolean(),
  is_deprecated: z.boolean(),
  type: z.string(),
})
export type InventoryPolicy = z.infer<typeof InventoryPolicy>

export const InventoryRing = z.object({
  /** `account`, `container`, `object`, `object-1` … */
  name: z.string(),
  version: z.nullable(Count),
  md5: z.string(),
  devices: Count,
  partitions: Count,
  /** A ring may have 3.25 of them. */
  replicas: z.number().check(z.minimum(0), z.maximum(2 ** 31)),
})
export type InventoryRing = z.infer<typeof InventoryRing>

/** Something that the agent could not read or that contradicts itself, in words for an operator. */
export const InventoryProblem = z.object({
  /** A word to search for, such as `ring_unreadable`, `duplicate_fs_uuid`, `mount_stuck`. */
  code: z.string(),
  /** The file, mount point or device that it is about. */
  subject: z.string(),
  message: z.string(),
})
export type InventoryProblem = z.infer<typeof InventoryProblem>

/** Versions of the gateway software that is installed; null where it is not. */
export const InventoryGateway = z.object({ samba: text, nfs_ganesha: text, nfs_kernel_server: text, rclone: text })
export type InventoryGateway = z.infer<typeof InventoryGateway>

export const Inventory = z.object({
  host: InventoryHost,
  addresses: z.array(InventoryAddress),
  facing: InventoryFacing,
  roles: InventoryRoles,
  disks: z.array(InventoryDisk),
  filesystems: z.array(InventoryFilesystem),
  /** Null while the rings cannot be read: the control plane then keeps the last good ones. */
  devices: z.nullable(z.array(InventoryDevice)),
  policies: z.nullable(z.array(InventoryPolicy)),
  rings: z.array(InventoryRing),
  /** As a storage server of this node tells it; null or absent where none answers. */
  swift_version: z.optional(text),
  gateway: InventoryGateway,
  problems: z.array(InventoryProblem),
  /** Absent until it is read, and from agents of version 0.1. */
  hardware: z.optional(HardwareReport),
})
export type Inventory = z.infer<typeof Inventory>
