import type { InventoryDisk } from '@roost/api-types/agent'
import type { ReadSlowly } from '../collectors/engine/slow-reader.js'
import type { Machine } from '../machine/machine.js'
import { readUdev } from './udev.js'

/** A disk, a partition or a mapping. */
export interface BlockDevice {
  readonly sizeBytes: number | null
  readonly isRotational: boolean | null
  /** Null where there is no hardware of its own below the device. */
  readonly disk: InventoryDisk | null
}

/** Block devices by their kernel names. */
export type BlockDevices = ReadonlyMap<string, BlockDevice>

export interface BlockReader {
  readonly kernel: Machine
  readonly readSlowly: ReadSlowly
  /** A clock that never jumps, in milliseconds. */
  readonly monotonic: () => number
}

const sectorBytes = 512
/** How long all disks that hang may delay one reading. The rest is then left for the next one. */
const budgetMs = 30_000

/**
 * Reads the disks of the machine, and the devices named in `more`, from `/sys` and udev. A driver can block the reader of a file
 * in `/sys`. Each device is a question of its own, so that one that hangs costs the values of no other.
 */
export async function readBlockDevices(reader: BlockReader, more: readonly string[] = []): Promise<BlockDevices> {
  const { kernel, readSlowly, monotonic } = reader
  const disks = kernel.list('/sys/block').filter((name) => hasHardware(kernel, name))
  const devices = new Map<string, BlockDevice>()
  const end = monotonic() + budgetMs
  for (const name of new Set([...disks, ...more])) {
    const files = monotonic() < end ? await readSlowly(filesOf(name, disks.includes(name))) : new Map()
    const textOf = (path: string): string | undefined => files.get(path)?.text?.trim() || undefined
    devices.set(name, describe(kernel, name, disks.includes(name), textOf))
  }
  return devices
}

export function disksOf(devices: BlockDevices): readonly InventoryDisk[] {
  return [...devices.values()].flatMap(({ disk }) => disk ?? [])
}

/** Loop, RAM, RAID and mapped devices have no `device`. */
function hasHardware(kernel: Machine, name: string): boolean {
  return kernel.stamp(`/sys/block/${name}/device`) !== undefined
}

const identityFiles = [
  'dev',
  'device/type',
  'device/model',
  'device/wwid',
  'device/serial',
  'wwid',
  'serial',
  'device/vpd_pg80',
] as const

function filesOf(name: string, isDisk: boolean): readonly string[] {
  const folder = `/sys/block/${name}`
  const identity = isDisk ? identityFiles.map((file) => `${folder}/${file}`) : []
  return [`/sys/class/block/${name}/size`, `${folder}/size`, `${folder}/queue/rotational`, ...identity]
}

type TextOf = (path: string) => string | undefined

function describe(kernel: Machine, name: string, isDisk: boolean, textOf: TextOf): BlockDevice {
  const folder = `/sys/block/${name}`
  const sectors = textOf(`/sys/class/block/${name}/size`) ?? textOf(`${folder}/size`)
  const flag = textOf(`${folder}/queue/rotational`)
  const sizeBytes = sectors === undefined ? null : Number(sectors) * sectorBytes
  const isRotational = flag === undefined ? null : flag === '1'
  // Type 5 of SCSI is an optical drive. A drive without a medium has no size.
  const isListed = isDisk && sizeBytes !== 0 && textOf(`${folder}/device/type`) !== '5'
  const disk = isListed ? describeDisk(kernel, { name, sizeBytes, isRotational }, textOf) : null
  return { sizeBytes, isRotational, disk }
}

function describeDisk(
  kernel: Machine,
  { name, sizeBytes, isRotational }: Omit<BlockDevice, 'disk'> & { readonly name: string },
  textOf: TextOf,
): InventoryDisk {
  const folder = `/sys/block/${name}`
  const first = (...files: readonly (typeof identityFiles)[number][]): string | undefined =>
    files.map((file) => textOf(`${folder}/${file}`)).find((text) => text !== undefined)
  const udev = readUdev(kernel, first('dev') ?? '')
  const serial = first('serial', 'device/serial') ?? vitalProductSerial(first('device/vpd_pg80'))
  return {
    name,
    serial: serial ?? udev.get('ID_SERIAL_SHORT') ?? null,
    model: first('device/model') ?? udev.get('ID_MODEL') ?? null,
    wwn: first('wwid', 'device/wwid') ?? udev.get('ID_WWN') ?? null,
    size_bytes: sizeBytes,
    is_rotational: isRotational,
  }
}

/** Returns the serial number of a SCSI or SATA disk from page 0x80 of its vital product data, after a header of four bytes. */
function vitalProductSerial(page: string | undefined): string | undefined {
  return page?.slice(4).replaceAll('\0', '').trim() || undefined
}
