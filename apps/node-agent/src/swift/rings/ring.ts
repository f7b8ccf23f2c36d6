import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

/** One entry of a ring. IDs are unique in one ring; over several rings a device is identified by its addresses and name. */
export interface RingDevice {
  readonly id: number
  readonly device: string
  readonly ip: string
  readonly port: number
  readonly replicationIp: string
  readonly replicationPort: number
}

export interface Ring {
  /** Counts up with each rebalance; null in rings without a version. */
  readonly version: number | null
  readonly partitions: number
  /** May be a fraction. */
  readonly replicas: number
  readonly devices: readonly RingDevice[]
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
  checkTable(table, header)
  return {
    version: header.version,
    partitions,
    replicas,
    devices: header.devices.filter((device) => device !== null),
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
  /** By ID; null for a removed device. */
  readonly devices: readonly (RingDevice | null)[]
}

type Json = Readonly<Record<string, unknown>>

function parseHeader(text: string): Header {
  const json = parseObject(text)
  const { byteorder, part_shift: partShift, replica_count: rows, version, devs } = json
  if (byteorder !== 'little' && byteorder !== 'big') throw new RingError('its header names no byte order')
  if (!isCount(partShift) || partShift > 32) throw new RingError('its header has no valid part_shift')
  if (!isCount(rows) || rows === 0) throw new RingError('its header has no valid replica_count')
  if (!Array.isArray(devs)) throw new RingError('its header has no list of devices')
  return {
    byteOrder: byteorder,
    partShift,
    rows,
    version: isCount(version) ? version : null,
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

/** Parses a device. Old rings have no separate replication address. */
function parseDevice(json: unknown, id: number): RingDevice | null {
  if (json === null) return null
  const {
    device,
    ip,
    port,
    replication_ip: replicationIp = ip,
    replication_port: replicationPort = port,
  } = json as Json
  const texts = typeof device === 'string' && device !== '' && typeof ip === 'string'
  if (!texts || typeof replicationIp !== 'string' || !isCount(port) || !isCount(replicationPort))
    throw new RingError(`its device ${id} has no valid name or address`)
  return { id, device, ip, port, replicationIp, replicationPort }
}

function isCount(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0
}

/** Checks that every partition is on a device of the header: the cheapest check of the table. */
function checkTable(table: Buffer, header: Header): void {
  const known = header.devices.map((device) => device !== null)
  const little = header.byteOrder === 'little'
  for (let at = 0; at < table.length; at += 2) {
    const id = little ? table.readUInt16LE(at) : table.readUInt16BE(at)
    if (known[id] !== true) throw new RingError(`it has a partition on device ${id}, which is not in its header`)
  }
}
