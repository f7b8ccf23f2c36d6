import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ChunkError,
  columnRange,
  decodeChunk,
  decodeColumn,
  decodeCutColumn,
  encodeChunk,
  GROUP,
  MANTISSAS,
  splitChunk,
} from './index.js'

const gap = Number.NaN
const start = Date.UTC(2026, 10, 22, 10, 0, 0)
const timesOf = (readings: number) => Float64Array.from({ length: readings }, (_, i) => start + i * 10_000)
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

function chunkOf(columns: readonly (readonly number[])[], mantissa = 13) {
  return encodeChunk({
    times: timesOf(columns[0]?.length ?? 1),
    columns: columns.map((column) => Float64Array.from(column)),
    mantissa,
  })
}

function roundTrip(columns: readonly (readonly number[])[], mantissa = 13) {
  const { head, data } = chunkOf(columns, mantissa)
  return decodeChunk(head, data, columns.length, columns[0]?.length ?? 1).columns.map((column) => [...column])
}

/** The greatest relative error: half a unit of the mantissa, and as much of the float of 32 bits before it. */
const bound = (mantissa: number) => 2 ** -(mantissa + 1) + 2 ** -24

describe('a chunk', () => {
  it('has the bytes that the format says', () => {
    const { head, data } = chunkOf([
      [0, 0, 0, 0],
      [gap, gap, gap, gap],
      [7, 7, gap, 7],
      [10, 13, 11, 12],
      [1000, 1003, 1006, 1009],
      [0.25, 0.5, 0.75, 0.5],
      [Math.PI, Math.PI, Math.PI, Math.PI],
      [0, 1 / 3, 2 / 3, 0],
    ])
    expect(hex(head)).toBe(
      ['0000502c2b207a42', '0400', '0000', '08000000', '10270000', '000000', '390000', '000000'].join(''),
    )
    expect(hex(data)).toBe(
      [
        '010003040606090c0000000000000000',
        '40',
        '080b0e',
        '0214029c',
        '03d00f03b601',
        '223206402667',
        '01182d4454fb210940',
        '74d4aa7d0e00400010000200',
      ].join(''),
    )
  })

  it('gives times back to the millisecond, also where the clock went backwards', () => {
    const times = Float64Array.from([start, start + 9_998, start + 20_003, start - 5_000, start + 40_000])
    const { head, data } = encodeChunk({ times, columns: [new Float64Array(5)], mantissa: 13 })
    expect([...decodeChunk(head, data, 1, 5).times]).toEqual([...times])
  })

  it('keeps integers below 2^52 exact, and decimals such as loads', () => {
    const integers = [0, 4_503_599_627_370_495, -4_503_599_627_370_495, 1, 2]
    const growing = [6e12, 6e12 + 4096, 6e12 + 8192, 6e12 + 4096, 6e12 + 16_384]
    const loads = [0.07, 1.5, 12.25, 3.999, 0]
    expect(roundTrip([integers, growing, loads])).toEqual([integers, growing, loads])
  })

  it('keeps a very small value beside decimals, and values beyond floats of 32 bits', () => {
    const [small, wide] = roundTrip([
      [0.1, 1e-9, 0.3],
      [1e300, -1e-300, 0],
    ]) as [number[], number[]]
    expect(small.at(1)).toBeCloseTo(1e-9, 13)
    expect(wide).toEqual([1e300, -1e-300, 0])
  })

  it('has null for infinity, never a number', () => {
    expect(roundTrip([[1, Infinity, -Infinity, 2]])).toEqual([[1, gap, gap, 2]])
  })

  it('costs nothing for a column without a value, and a byte and its length for one of zeros', () => {
    const size = (columns: number[][]) => chunkOf(columns).data.length
    expect(size([Array.from({ length: 30 }, () => gap)])).toBe(16)
    expect(size([Array.from({ length: 30 }, () => 0)])).toBe(17)
  })

  it('gives one column from its slice alone', () => {
    const columns = Array.from({ length: 53 }, (_, j) =>
      Array.from({ length: 200 }, (_, i) => (j % 7 === 3 ? i * 1e9 + j : Math.sin(i * j) * 1e20)),
    )
    const { head, data } = chunkOf(columns)
    const decoded = decodeChunk(head, data, 53, 200).columns
    for (const index of [0, 15, 16, 17, 31, 47, 48, 52]) {
      const { from, end } = columnRange(head, index)
      const values = new Float64Array(200)
      decodeColumn(data.subarray(from, end), index, { values, at: 0, readings: 200 })
      expect(values).toEqual(decoded[index])
    }
  })

  it('are read from the lengths of their group and some of its columns', () => {
    const columns = Array.from({ length: 40 }, (_, j) => Array.from({ length: 30 }, (_, i) => i * j + (i % 5)))
    const { head, data } = chunkOf(columns)
    const { from, end } = columnRange(head, 16)
    const group = data.subarray(from, end)
    const begin = GROUP + group.subarray(0, 3).reduce((sum, length) => sum + length, 0)
    const part = Buffer.concat([group.subarray(0, GROUP), group.subarray(begin)])
    const space = { values: new Float64Array(33), at: 3, readings: 30 }
    for (const index of [19, 20, 31]) {
      decodeCutColumn(part, 19, index, space)
      expect([...space.values]).toEqual([0, 0, 0, ...(columns[index] ?? [])])
    }
    expect(() => decodeCutColumn(part.subarray(0, 40), 19, 31, space)).toThrow('ends outside its group')
    expect(() => decodeCutColumn(part.subarray(0, 8), 19, 31, space)).toThrow('ends within a value')
  })

  it('is divided into its parts again', () => {
    const { head, data } = chunkOf([[1, 2, 3]])
    const split = splitChunk(Buffer.concat([head, data]))
    expect([hex(split.head), hex(split.data)]).toEqual([hex(head), hex(data)])
  })

  it('is refused with another number of columns or readings, a size without bounds or an unknown mantissa', () => {
    const { head, data } = chunkOf([[1, 2, 3]])
    expect(() => decodeChunk(head, data, 2, 3)).toThrow('The chunk has 1 columns, not 2.')
    expect(() => decodeChunk(head, data, 1, 4)).toThrow('The chunk has 3 readings, not 4.')
    expect(() => chunkOf([[1]], 9)).toThrow(ChunkError)
    const huge = Buffer.from(head)
    huge.writeUInt32LE(0xffffffff, 12)
    expect(() => decodeChunk(huge, data, 0xffffffff, 3)).toThrow('at most 2000000 values')
  })
})

const value = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.constantFrom(0, -0, gap, 1, 1e-40, 2 ** 52),
  fc.integer({ min: 0, max: 100_000 }).map((n) => n / 100),
  fc.double({ min: 0, max: 1e9, noNaN: true }),
)
const table = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 70 }))
  .chain(([columns, readings]) =>
    fc.array(
      fc.oneof(
        fc.array(value, { minLength: readings, maxLength: readings }),
        fc.array(fc.double({ min: 0, max: 1e7 }), { minLength: readings, maxLength: readings }),
        fc.array(fc.integer({ min: -5, max: 1e6 }), { minLength: readings, maxLength: readings }),
      ),
      { minLength: columns, maxLength: columns },
    ),
  )

/** Whether a decoded value is what the format promises for the one that was encoded. */
function isKept(actual: number | undefined, expected: number, error: number) {
  if (actual === undefined) return false
  if (!Number.isFinite(expected)) return Number.isNaN(actual)
  return Math.abs(actual - expected) <= Math.abs(expected) * error
}

const isExact = (column: readonly number[]) =>
  column.every((number) => Number.isNaN(number) || (Number.isInteger(number) && Math.abs(number) < 2 ** 52))

/** Answers the sentence of a refusal, or undefined; anything but a `ChunkError` is thrown on. */
function refusal(decode: () => void): string | undefined {
  try {
    decode()
    return undefined
  } catch (error) {
    if (error instanceof ChunkError) return error.message
    throw error
  }
}

describe('chunks of anything', () => {
  it('have each value within the error of the mantissa, and columns of integers exactly', () => {
    fc.assert(
      fc.property(table, fc.constantFrom(...MANTISSAS), (columns, mantissa) => {
        const decoded = roundTrip(columns, mantissa)
        const wrong = columns.flatMap((column, j) => {
          const error = isExact(column) ? 0 : bound(mantissa)
          return column.flatMap((number, i) =>
            isKept(decoded[j]?.[i], number, error) ? [] : [[number, decoded[j]?.[i]]],
          )
        })
        expect(wrong).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  it('have either their meaning or a sentence when bytes are changed or cut', () => {
    const refusals: string[] = []
    const change = fc.record({ at: fc.nat(), to: fc.nat({ max: 255 }), cut: fc.nat({ max: 3 }), inHead: fc.boolean() })
    fc.assert(
      fc.property(table, change, (columns, { at, to, cut, inHead }) => {
        const { head, data } = chunkOf(columns)
        const changed = inHead ? head : data
        if (changed.length > 0) changed[at % changed.length] = to
        const readings = columns.at(0)?.length ?? 0
        const shorter = data.subarray(0, data.length - (cut === 3 ? 1 : 0))
        const sentence = refusal(() => {
          const decoded = decodeChunk(head, shorter, columns.length, readings).columns
          expect(decoded.every((column) => column.length === readings && !column.includes(Infinity))).toBe(true)
        })
        if (sentence !== undefined) refusals.push(sentence)
      }),
      { numRuns: 2_000 },
    )
    expect(refusals.length).toBeGreaterThan(300)
    expect(refusals.filter((sentence) => !/^[A-Z].*\.$/.test(sentence))).toEqual([])
  })

  it('are refused when they are garbage', () => {
    const bytes = fc.uint8Array({ maxLength: 300 })
    fc.assert(
      fc.property(bytes, bytes, (head, data) => {
        expect(() => decodeChunk(head, data, 3, 30)).toThrow(ChunkError)
        expect(() => splitChunk(head)).toThrow(ChunkError)
      }),
      { numRuns: 500 },
    )
    const readsOrRefuses = fc.property(bytes, fc.nat({ max: 15 }), (slice, index) => {
      const sentence = refusal(() => decodeColumn(slice, index, { values: new Float64Array(30), at: 0, readings: 30 }))
      expect(sentence ?? 'A sentence.').toMatch(/^A |^The /)
    })
    fc.assert(readsOrRefuses, { numRuns: 500 })
  })
})
