import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { balanceOf, dispersionOf } from './ring-shape.js'

/** One entry of a ring. IDs are unique in one ring; over several rings a device is identified by its addresses and name. */
export interface RingDevice {
  readonly id: number
  readonly device: string
  readonly ip: string
  readonly port: number
  readonly replicationIp: string
  readonly replicationPort: number
  readonly region: number
  readonly zone: number
  readonly weight: number
}

/** A device with the number of partitions that the ring assigns to it, counting each replica. */
export interface AssignedDevice extends RingDevice {
  readonly assigned: number
}

export interface Ring {
  /** Counts up with each rebalance; null in rings without a version. */
  readonly version: number | null
  readonly partitions: number
  /** May be a fraction. */
  readonly replicas: number
  readonly devices: readonly AssignedDevice[]
  /** Largest deviation of a device from its share of the partitions, in percent of the share. */
  readonly balance: number
  /** Share of the replicas that are in a failure domain with more replicas of their partition than necessary, in percent. */
  readonly dispersion: number
  /** Set while an operator increases the part power. */
  readonly nextPartPower: number | null
}

/** A ring file that cannot be used; the message is for operators. */
export class RingError extends Error {
  override readonly name = 'RingError'
}

/** 2^24 partitions with 16 replicas: more than any ring has. */
const largestRingBytes = 512 * 1024 * 1024

const inflate = promisify(gunzip)

/** Parses a `*.ring.gz`, and returns its MD5 as Swift's recon does. Throws RingError. */
export async function readRing(file: Uint8Array): Promise<Ring & { readonly md5: string }> {
  return { ...parseRing(await inflateRing(file)), md5: createHash('md5').update(file).digest('hex') }
}

async function inflateRing(file: Uint8Array): Promise<Buffer> {
  try {
    return await inflate(file, { maxOutputLength: largestRingBytes })
  } catch (error) {
    throw new RingError(`it is not a complete gzip file (${(error as Error).message})`, { cause: error })
  }
}

/** The partitions of a device: `has[partition]` is 1. */
export interface Placement {
  readonly device: RingDevice
  readonly has: Uint8Array
}

/** Returns the partitions of the wanted devices. Throws RingError. */
export async function readPlacement(
  file: Uint8Array,
  isWanted: (device: RingDevice) => boolean,
): Promise<readonly Placement[]> {
  const { header, table, partitions } = openRing(await inflateRing(file))
  const byId = header.devices.map((device) =>
    device !== null && isWanted(device) ? { device, has: new Uint8Array(partitions) } : undefined,
  )
  const little = header.byteOrder === 'little'
  for (let at = 0; at < table.length; at += 2) {
    const placement = byId[little ? table.readUInt16LE(at) : table.readUInt16BE(at)]
    if (placement !== undefined) placement.has[(at / 2) % partitions] = 1
  }
  return byId.filter((one) => one !== undefined)
}

const headerBytes = 10

/**
 * Parses a ring of format version 1: `R1NG`, u16 version, u32 length (both big-endian), a JSON object, then for each
 * replica a u16 device ID per partition, in the byte order of the object. The row of a fraction of a replica is short.
 */
export function parseRing(bytes: Uint8Array): Ring {
  const { header, table, partitions, replicas } = openRing(bytes)
  const ids = idsOf(table, header)
  const counts = countAssigned(ids, header)
  const devices = header.devices.flatMap((device) =>
    device === null ? [] : { ...device, assigned: counts[device.id] ?? 0 },
  )
  return {
    version: header.version,
    nextPartPower: header.nextPartPower,
    partitions,
    replicas,
    devices,
    balance: balanceOf(devices, ids.length),
    dispersion: dispersionOf(devices, ids, partitions),
  }
}

interface OpenRing {
  readonly header: Header
  readonly table: Buffer
  readonly partitions: number
  readonly replicas: number
}

function openRing(bytes: Uint8Array): OpenRing {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length < headerBytes || buffer.toString('latin1', 0, 4) !== 'R1NG') throw new RingError('it is not a ring')
  const format = buffer.readUInt16BE(4)
  if (format !== 1)
    throw new RingError(
      `its format is version ${format}, and this agent reads version 1: write the ring in that format`,
    )
  const tableStart = headerBytes + buffer.readUInt32BE(6)
  if (tableStart > buffer.length) throw new RingError('it ends within its header')

  const header = parseHeader(buffer.toString('utf8', headerBytes, tableStart))
  const table = buffer.subarray(tableStart)
  const partitions = 2 ** (32 - header.partShift)
  checkLength(table.length, partitions, header.rows)
  return { header, table, partitions, replicas: table.length / 2 / partitions }
}

/** The last row of a ring with a fractional number of replicas is short. A file cut there lacks its gzip trailer. */
function checkLength(bytes: number, partitions: number, rows: number): void {
  const complete = partitions * rows * 2
  const least = complete - partitions * 2
  if (bytes % 2 === 1 || bytes <= least || bytes > complete)
    throw new RingError(
      `its table has ${bytes} bytes, and ${rows} replicas of ${partitions} partitions need ${least + 2} to ${complete}`,
    )
}

interface Header {
  readonly byteOrder: 'little' | 'big'
  readonly partShift: number
  /** One for each replica, also for the fraction of one. */
  readonly rows: number
  readonly version: number | null
  readonly nextPartPower: number | null
  /** By ID; null for a removed device. */
  readonly devices: readonly (RingDevice | null)[]
}

type Json = Readonly<Record<string, unknown>>

function parseHeader(text: string): Header {
  const json = parseObject(text)
  const { byteorder, part_shift: partShift, replica_count: rows, version, next_part_power: next, devs } = json
  if (byteorder !== 'little' && byteorder !== 'big') throw new RingError('its header names no byte order')
  if (!isCount(partShift) || partShift > 32) throw new RingError('its header has no valid part_shift')
  if (!isCount(rows) || rows === 0) throw new RingError('its header has no valid replica_count')
  if (!Array.isArray(devs)) throw new RingError('its header has no list of devices')
  return {
    byteOrder: byteorder,
    partShift,
    rows,
    version: isCount(version) ? version : null,
    nextPartPower: isCount(next) ? next : null,
    devices: devs.map(parseDevice),
  }
}

function parseObject(text: string): Json {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json === 'object' && json !== null) return json as Json
  } catch {
    // The error below replaces the parser's message, which would quote the file.
  }
  throw new RingError('its header is not a JSON object')
}

function parseDevice(json: unknown, id: number): RingDevice | null {
  if (json === null) return null
  return { id, ...parseAddresses(json as Json, id), ...parseShare(json as Json, id) }
}

/** Parses what identifies a device. Old rings have no separate replication address. */
function parseAddresses(json: Json, id: number) {
  const { device, ip, port, replication_ip: replicationIp = ip, replication_port: replicationPort = port } = json
  const texts = typeof device === 'string' && device !== '' && typeof ip === 'string'
  if (!texts || typeof replicationIp !== 'string' || !isCount(port) || !isCount(replicationPort))
    throw new RingError(`its device ${id} has no valid name or address`)
  return { device, ip, port, replicationIp, replicationPort }
}

/** Parses what decides over the share of a device. Old rings have no regions. */
function parseShare({ region = 1, zone = 0, weight }: Json, id: number) {
  if (!isCount(region) || !isCount(zone) || typeof weight !== 'number' || weight < 0)
    throw new RingError(`its device ${id} has no valid region, zone or weight`)
  return { region, zone, weight }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0
}

const isLittleMachine = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

/** Returns the table as device IDs in the byte order of this machine. */
function idsOf(table: Buffer, { byteOrder }: Header): Uint16Array {
  const ids = new Uint16Array(table.length / 2)
  const bytes = Buffer.from(ids.buffer)
  table.copy(bytes)
  if ((byteOrder === 'little') !== isLittleMachine) bytes.swap16()
  return ids
}

/** Counts the partitions of each device. Every partition must be on a device of the header. */
function countAssigned(ids: Uint16Array, { devices }: Header): Uint32Array {
  const counts = new Uint32Array(2 ** 16)
  for (const id of ids) counts[id] = (counts[id] ?? 0) + 1
  const unknown = counts.findIndex((count, id) => count > 0 && (devices[id] ?? null) === null)
  if (unknown !== -1) throw new RingError(`it has a partition on device ${unknown}, which is not in its header`)
  return counts
}
