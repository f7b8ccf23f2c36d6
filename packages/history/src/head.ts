import { ByteReader } from './byte-reader.js'
import { ChunkError, checkSize, GROUP, HEAD_FIXED } from './format.js'

/** What a head says, and how many bytes it has. */
export type Head = { readings: number; columns: number; times: Float64Array; length: number }

const newTimes = (readings: number): Float64Array => new Float64Array(readings)
const groupsOf = (columns: number): number => Math.ceil(columns / GROUP)

/** Reads the times into the space that is made for them; each is the step and a small difference after the one before. */
function readTimes(reader: ByteReader, start: number, step: number, times: Float64Array): void {
  let time = start
  for (let i = 0; i < times.length; i++) {
    if (i > 0) time += step + reader.varint()
    if (!(Math.abs(time) < 8.64e15)) throw new ChunkError('A time of the chunk is not a time.')
    times[i] = time
  }
}

/** Says how many readings a chunk has, from its head alone. */
export function readingsOf(head: Uint8Array): number {
  const reader = new ByteReader(head)
  reader.at = 8
  return reader.uint(2)
}

/** Reads the head at the beginning of `bytes`; more may follow it. The times are written to what `space` returns. */
export function readHead(bytes: Uint8Array, space: (readings: number) => Float64Array = newTimes): Head {
  const reader = new ByteReader(bytes)
  const start = reader.f64()
  const readings = reader.uint(2)
  if (reader.uint(2) !== 0) throw new ChunkError('The head of the chunk has bytes that are not zero.')
  const columns = reader.uint(4)
  checkSize(columns, readings)
  const step = reader.uint(4)
  const offsets = 3 * (groupsOf(columns) + 1)
  reader.need(offsets)
  reader.at += offsets
  const times = space(readings)
  readTimes(reader, start, step, times)
  return { readings, columns, times, length: reader.at }
}

/** Says which bytes of the data, from `from` to before `end`, have the column `index`, beside others. */
export function columnRange(head: Uint8Array, index: number): { from: number; end: number } {
  const reader = new ByteReader(head)
  reader.at = HEAD_FIXED + 3 * Math.floor(index / GROUP)
  return { from: reader.uint(3), end: reader.uint(3) }
}
