import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseRing, readPlacement, readRing, RingError } from './ring.js'

interface RingSource {
  readonly byteorder: 'little' | 'big'
  readonly partPower: number
  readonly devs: readonly (object | null)[]
  readonly rows?: number
  /** Device id of each partition of each replica. */
  readonly table: readonly number[]
}

/** Writes the format as swift-ring-builder does: its replica_count is the number of rows, of which the last may be short. */
function encodeRing(source: RingSource): Buffer {
  const { byteorder, partPower, devs, table, rows = Math.ceil(table.length / 2 ** partPower) } = source
  const header = Buffer.from(
    JSON.stringify({ byteorder, devs, part_shift: 32 - partPower, replica_count: rows, version: 7 }),
  )
  const front = Buffer.alloc(10)
  front.write('R1NG', 'latin1')
  front.writeUInt16BE(1, 4)
  front.writeUInt32BE(header.length, 6)
  const ids = Buffer.alloc(table.length * 2)
  table.forEach((id, i) => (byteorder === 'little' ? ids.writeUInt16LE(id, i * 2) : ids.writeUInt16BE(id, i * 2)))
  return Buffer.concat([front, header, ids])
}

function dev(id: number, more: object = {}): object {
  return { id, device: `d${id}`, ip: `10.0.0.${id % 250}`, port: 6200, region: 1, zone: 1, weight: 100, ...more }
}

const lab = new URL('../../inventory/fixtures/lab/etc/swift/', import.meta.url)

const sources: fc.Arbitrary<RingSource> = fc
  .record({
    byteorder: fc.constantFrom('little' as const, 'big' as const),
    partPower: fc.integer({ min: 0, max: 6 }),
    replicas: fc.constantFrom(1, 2, 2.5, 3),
    holes: fc.array(fc.boolean(), { minLength: 1, maxLength: 300 }),
  })
  .filter(({ holes }) => holes.includes(false))
  .chain(({ holes, partPower, replicas, byteorder }) => {
    const devs = holes.map((isHole, id) => (isHole ? null : dev(id)))
    const ids = devs.flatMap((one, id) => (one === null ? [] : [id]))
    const length = Math.floor(2 ** partPower * replicas)
    return fc
      .array(fc.constantFrom(...ids), { minLength: length, maxLength: length })
      .map((table) => ({ byteorder, partPower, devs, table }))
  })

function outcome(bytes: Uint8Array): 'parsed' | 'refused' {
  try {
    parseRing(bytes)
    return 'parsed'
  } catch (error) {
    if (error instanceof RingError) return 'refused'
    throw error
  }
}

describe('a ring', () => {
  it('is read as swift-ring-builder wrote it', async () => {
    const ring = await readRing(readFileSync(new URL('object-1.ring.gz', lab)))
    expect(ring).toMatchObject({ version: 4, partitions: 64, replicas: 2, md5: '0968121a214f444b402e5670243067db' })
    expect(ring.devices.map(({ device, ip, port }) => `${ip}:${port}/${device}`)).toEqual([
      '127.0.2.1:6200/d1',
      '127.0.2.2:6200/d3',
      '127.0.2.2:6200/d5',
    ])
  })

  it('is read in either byte order, with holes and a fraction of a replica', () => {
    fc.assert(
      fc.property(sources, (source) => {
        const ring = parseRing(encodeRing(source))
        const ids = source.devs.flatMap((one, id) => (one === null ? [] : [id]))
        return (
          ring.partitions === 2 ** source.partPower &&
          ring.replicas === source.table.length / 2 ** source.partPower &&
          ring.devices.map(({ id }) => id).join() === ids.join()
        )
      }),
    )
  })

  it('keeps the device’s ID after others were removed', () => {
    const source = {
      byteorder: 'little',
      partPower: 1,
      devs: [null, null, dev(2)],
      table: [2, 2],
    } as const
    expect(parseRing(encodeRing(source)).devices).toMatchObject([
      {
        id: 2,
        device: 'd2',
        ip: '10.0.0.2',
        port: 6200,
        replicationIp: '10.0.0.2',
        replicationPort: 6200,
        assigned: 2,
      },
    ])
  })

  it('keeps a replication address of its own', () => {
    const devs = [dev(0, { replication_ip: '10.1.0.1', replication_port: 6300 })]
    const ring = parseRing(encodeRing({ byteorder: 'big', partPower: 0, devs, table: [0] }))
    expect(ring.devices[0]).toMatchObject({ replicationIp: '10.1.0.1', replicationPort: 6300 })
  })

  it('has the replicas of its table, where the last row is short', async () => {
    const file = readFileSync(new URL('fixtures/two-and-a-half.ring.gz', import.meta.url))
    const ring = await readRing(file)
    expect(ring).toMatchObject({ partitions: 64, replicas: 2.5 })
    expect(ring.devices).toHaveLength(4)
    const placements = await readPlacement(file, () => true)
    const counts = placements.map(({ has }) => has.reduce((count, one) => count + one, 0))
    expect(counts.reduce((sum, count) => sum + count)).toBe(64 * 2.5)
  })

  it('is refused when its file is cut off anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(sources, fc.nat(), async (source, at) => {
        const complete = gzipSync(encodeRing(source))
        await expect(readRing(complete.subarray(0, at % complete.length))).rejects.toThrow(RingError)
      }),
    )
  })

  it('is read or refused with a reason, for any bytes', () => {
    fc.assert(
      fc.property(sources, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }), (source, changes) => {
        const bytes = encodeRing(source)
        for (const [at, value] of changes) bytes[at % bytes.length] = value
        return ['parsed', 'refused'].includes(outcome(bytes))
      }),
    )
    fc.assert(fc.property(fc.uint8Array(), (bytes) => outcome(bytes) === 'refused'))
  })

  it.each([
    ['a table that names a device it does not have', { devs: [dev(0), null], table: [0, 1] }, /device 1/],
    ['a device without a name', { devs: [dev(0, { device: '' })], table: [0, 0] }, /device 0 has no valid name/],
    ['a device without a weight', { devs: [dev(0, { weight: null })], table: [0, 0] }, /region, zone or weight/],
    ['a device without an address', { devs: [dev(0, { ip: 7 })], table: [0, 0] }, /device 0 has no valid name/],
    [
      'a table that lacks a replica',
      { devs: [dev(0)], table: [0], rows: 2 },
      /2 bytes, and 2 replicas of 2 partitions need 6 to 8/,
    ],
    ['a table that is too long', { devs: [dev(0)], table: [0, 0, 0], rows: 1 }, /6 bytes, and/],
  ])('is refused with %s', (_, more, reason) => {
    const bytes = encodeRing({ byteorder: 'little', partPower: 1, ...more })
    expect(() => parseRing(bytes)).toThrow(reason)
  })

  it('of version 2 is refused with the remedy', async () => {
    const bytes = encodeRing({ byteorder: 'little', partPower: 0, devs: [dev(0)], table: [0] })
    bytes.writeUInt16BE(2, 4)
    await expect(readRing(gzipSync(bytes))).rejects.toThrow(
      'its format is version 2, and this agent reads version 1: write the ring in that format',
    )
  })

  it('is refused without a complete gzip file', async () => {
    const file = readFileSync(new URL('object.ring.gz', lab))
    await expect(readRing(Buffer.from('R1NG'))).rejects.toThrow(/not a complete gzip file/)
    await expect(readRing(file.subarray(0, file.length / 2))).rejects.toThrow(/not a complete gzip file/)
  })

  it('has the regions, zones, weights and partitions of its devices', async () => {
    const { devices, nextPartPower } = await readRing(readFileSync(new URL('object-1.ring.gz', lab)))
    expect(nextPartPower).toBeNull()
    expect(devices.map(({ region, zone, weight, assigned }) => [region, zone, weight, assigned])).toEqual([
      [1, 1, 100, 54],
      [1, 2, 100, 53],
      [1, 2, 40, 21],
    ])
  })

  it.each([
    ['even', 2.401_244_589, 8.854_166_667],
    ['uneven', 69.270_833_333, 33.333_333_333],
  ])('has the balance and the dispersion that RingBuilder computed: %s', async (name, balance, dispersion) => {
    const ring = await readRing(readFileSync(new URL(`fixtures/${name}.ring.gz`, import.meta.url)))
    expect(ring.balance).toBeCloseTo(balance, 6)
    expect(ring.dispersion).toBeCloseTo(dispersion, 6)
  })

  it('has the balance of Swift for partitions on a device without weight', () => {
    const devs = [dev(0), dev(1, { weight: 0 })]
    expect(parseRing(encodeRing({ byteorder: 'little', partPower: 1, devs, table: [0, 1] })).balance).toBe(999.99)
    expect(parseRing(encodeRing({ byteorder: 'little', partPower: 1, devs, table: [0, 0] })).balance).toBe(0)
  })

  it('says that its part power is being increased', () => {
    const header = { byteorder: 'little', part_shift: 32, next_part_power: 1, replica_count: 1, version: 1 }
    const json = Buffer.from(JSON.stringify({ ...header, devs: [dev(0)] }))
    const front = encodeRing({ byteorder: 'little', partPower: 0, devs: [dev(0)], table: [0] }).subarray(0, 10)
    front.writeUInt32BE(json.length, 6)
    expect(parseRing(Buffer.concat([front, json, Buffer.alloc(2)])).nextPartPower).toBe(1)
  })

  it('of 10,000 devices and a million partitions is read completely', () => {
    const devs = Array.from({ length: 10_000 }, (_, id) => dev(id))
    const table = Array.from({ length: 3 * 2 ** 20 }, (_, i) => (i * 7919) % 10_000)
    const ring = parseRing(encodeRing({ byteorder: 'big', partPower: 20, devs, table }))
    expect(ring.devices).toHaveLength(10_000)
    expect(ring.partitions).toBe(1_048_576)
  })
})
