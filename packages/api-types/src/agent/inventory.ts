import * as z from 'zod/mini'
import { forEachRole } from '../values/node-roles.js'
import { proxyAuthentications } from '../values/proxy-authentication.js'
import { HardwareReport } from './hardware.js'
import {
  Bytes,
  Count,
  DeviceBytes,
  DeviceKey,
  list,
  Measured,
  Name,
  Path,
  Ratio,
  Seconds,
  SmallCount,
  Text,
} from './bounds.js'

const text = z.nullable(Name)
const path = z.nullable(Path)

/** Total, free and available bytes of a mounted filesystem: `blocks`, `bfree` and `bavail` of statvfs times `frsize`. */
export const FilesystemSpace = z.object({
  total_bytes: DeviceBytes,
  free_bytes: DeviceBytes,
  available_bytes: DeviceBytes,
})
export type FilesystemSpace = z.infer<typeof FilesystemSpace>

export const InventoryHost = z.object({
  hostname: Name,
  os: text,
  kernel: text,
  architecture: Name,
  cpu_model: text,
  cpu_cores: SmallCount,
  memory_bytes: Bytes,
})
export type InventoryHost = z.infer<typeof InventoryHost>

export const InventoryAddress = z.object({
  interface: Name,
  address: Name,
  family: z.enum(['ipv4', 'ipv6']),
  mac: text,
})
export type InventoryAddress = z.infer<typeof InventoryAddress>

/** Which of its addresses the node seems to use for what, by the rings and the routes; null where nothing tells. */
export const InventoryFacing = z.object({ cluster_ip: text, outward_ip: text, replication_ip: text })
export type InventoryFacing = z.infer<typeof InventoryFacing>

export const InventoryRoles = z.object(forEachRole(() => z.boolean()))
export type InventoryRoles = z.infer<typeof InventoryRoles>

export const InventoryDisk = z.object({
  /** The kernel's name, such as `sda`; never an identity. */
  name: Name,
  serial: text,
  model: text,
  wwn: text,
  size_bytes: z.nullable(Bytes),
  is_rotational: z.nullable(z.boolean()),
})
export type InventoryDisk = z.infer<typeof InventoryDisk>

export const InventoryFilesystem = z.object({
  /** What is mounted, such as `/dev/sda1`. */
  source: Path,
  uuid: text,
  fs_type: Name,
  mount_points: list(Path),
  /** Kernel name of the disk below it, where there is one. */
  disk: text,
})
export type InventoryFilesystem = z.infer<typeof InventoryFilesystem>

export const InventoryDeviceStatus = z.enum(['ok', 'unmounted', 'missing', 'failed', 'unmanaged'])
export type InventoryDeviceStatus = z.infer<typeof InventoryDeviceStatus>

/** The entry of a device in a ring file. */
export const InventoryDeviceRing = z.object({
  ring: Name,
  region: Count,
  zone: Count,
  weight: Ratio,
  /** Partitions that the ring assigns to the device, counting each replica. */
  partitions: Count,
  replication_ip: Name,
  replication_port: SmallCount,
})
export type InventoryDeviceRing = z.infer<typeof InventoryDeviceRing>

/** A place for data: a device of a ring, or one that the agent's configuration declares. */
export const InventoryDevice = z.object({
  /**
   * The device's place on this node, such as `10.0.0.1:6200/d1` or a mount point: names it in `device_usage`. A new
   * disk in the same place has the same key, and another UUID or serial.
   */
  key: DeviceKey,
  name: Name,
  /** Its address in the rings, which joins one device over several rings; null where no ring names it. */
  ring: z.nullable(z.object({ ip: Name, port: SmallCount, replication_ip: Name, replication_port: SmallCount })),
  uuid: text,
  serial: text,
  model: text,
  mount_point: path,
  fs_type: text,
  is_rotational: z.nullable(z.boolean()),
  size_bytes: z.nullable(DeviceBytes),
  /** Indexes of the storage policies it is assigned to, ascending. */
  policies: list(SmallCount),
  status: InventoryDeviceStatus,
  /** Its entry in each ring. Absent from agents of 0.2. */
  rings: z.optional(list(InventoryDeviceRing, 1_000)),
  /** Null where no filesystem is mounted, or it could not be read. */
  figures: z.nullable(FilesystemSpace),
})
export type InventoryDevice = z.infer<typeof InventoryDevice>

/** The parameters of an erasure code in swift.conf. */
export const InventoryErasureCode = z.object({
  type: Name,
  data_fragments: SmallCount,
  parity_fragments: SmallCount,
  duplication_factor: SmallCount,
  segment_bytes: Bytes,
})
export type InventoryErasureCode = z.infer<typeof InventoryErasureCode>

export const InventoryPolicy = z.object({
  index: SmallCount,
  name: Name,
  aliases: list(Name),
  is_default: z.boolean(),
  is_deprecated: z.boolean(),
  type: Name,
  /** Of policies with an erasure code. Absent from agents of 0.2. */
  ec: z.optional(InventoryErasureCode),
})
export type InventoryPolicy = z.infer<typeof InventoryPolicy>

export const InventoryRing = z.object({
  /** `account`, `container`, `object`, `object-1` … */
  name: Name,
  version: z.nullable(Count),
  md5: Name,
  devices: Count,
  partitions: Count,
  /** A ring may have 3.25 of them. */
  replicas: z.number().check(z.minimum(0), z.maximum(2 ** 31)),
  /** The following are absent from agents of 0.2. Largest deviation of a device from its share, in percent. */
  balance: z.optional(Ratio),
  /** Replicas in a failure domain that has more of their partition than necessary, in percent. */
  dispersion: z.optional(Ratio),
  regions: z.optional(Count),
  zones: z.optional(Count),
  /** Sum of the weights of its devices. */
  weight: z.optional(Ratio),
  /** Set while an operator increases the part power. */
  next_part_power: z.optional(SmallCount),
  /** Of the builder file, where the node has it. */
  min_part_hours: z.optional(SmallCount),
  /** Time of the last write of the file, in Unix seconds. */
  modified: z.optional(Seconds),
})
export type InventoryRing = z.infer<typeof InventoryRing>

/** Something that the agent could not read or that contradicts itself, in words for an operator. */
export const InventoryProblem = z.object({
  /** The code of a check of `checks/list.ts`, such as `ring_unreadable`. */
  code: Name,
  /** File, mount point or device that has the problem that it is about. */
  subject: Path,
  message: Text,
  /** Absent from agents of 0.2: the list of checks has it by the code. */
  severity: z.optional(z.enum(['warning', 'critical'])),
  /** The end of the message, which says what to do. Absent from agents of 0.2. */
  remedy: z.optional(Text),
  /** The number that the check compared with its limit. Absent where it compares none, and from agents of 0.2. */
  value: z.optional(Measured),
  threshold: z.optional(Measured),
})
export type InventoryProblem = z.infer<typeof InventoryProblem>

/** Versions of the gateway software that is installed; null where it is not. */
export const InventoryGateway = z.object({ samba: text, nfs_ganesha: text, nfs_kernel_server: text, rclone: text })
export type InventoryGateway = z.infer<typeof InventoryGateway>

/** A server or daemon of Swift that this node is configured to run. */
export const InventoryService = z.object({
  /** Such as `object-server` or `object-updater`. */
  name: Name,
  /** The file or folder that configures it. */
  file: Path,
  /** On which a server listens; null for a daemon. */
  address: z.nullable(Name),
  /** `off`: its unit is disabled, or it was never seen to run here. */
  state: z.enum(['up', 'down', 'off']),
  /** Since when the agent has seen that state, in Unix seconds. */
  since: Seconds,
})
export type InventoryService = z.infer<typeof InventoryService>

export const Inventory = z.object({
  host: InventoryHost,
  addresses: list(InventoryAddress),
  facing: InventoryFacing,
  roles: InventoryRoles,
  /** A device of this node is in the account ring. Absent while the rings cannot be read, and from agents of version 0.1. */
  in_account_ring: z.optional(z.boolean()),
  disks: list(InventoryDisk),
  filesystems: list(InventoryFilesystem),
  /** Null while the rings cannot be read: the control plane then keeps the last good ones. */
  devices: z.nullable(list(InventoryDevice)),
  policies: z.nullable(list(InventoryPolicy)),
  rings: list(InventoryRing),
  /** As a storage server of this node tells it; null or absent where none answers. */
  swift_version: z.optional(text),
  /**
   * A digest of the hash suffix and prefix of swift.conf, which must be the same on all nodes; null where it has neither. Absent
   * while swift.conf cannot be read, and from agents of 0.2.
   */
  hash_path_digest: z.optional(text),
  /**
   * How the proxy of this node authenticates its clients. Absent without a proxy, while the agent does not know what the running
   * proxy has read, and from agents of 0.2.
   */
  proxy_authentication: z.optional(z.enum(proxyAuthentications)),
  gateway: InventoryGateway,
  problems: list(InventoryProblem),
  /** Absent from agents of 0.2. */
  services: z.optional(list(InventoryService, 1_000)),
  /** Absent until it is read, and from agents of version 0.1. */
  hardware: z.optional(HardwareReport),
})
export type Inventory = z.infer<typeof Inventory>
