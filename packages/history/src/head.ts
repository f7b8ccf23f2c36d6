import { ByteReader } from './byte-reader.js'
import { ChunkError, checkSize, GROUP, HEAD_FIXED } from './format.js'

/** What a head says, and how many bytes it has. */
export type Head = { readings: number; columns: number; times: Float64Array; length: number }

const groupsOf = (columns: number): number => Math.ceil(columns / GROUP)

/** Reads the times; each is the step and a small difference after the one before. */
function readTimes(reader: ByteReader, start: number, readings: number, step: number): Float64Array {
  const times = new Float64Array(readings)
  times[0] = start
  for (let i = 1; i < readings; i++) times[i] = (times[i - 1] as number) + step + reader.varint()
  if (!times.every((time) => Math.abs(time) < 8.64e15)) throw new ChunkError('A time of the chunk is not a time.')
  return times
}

/** Reads the head at the beginning of `bytes`; more may follow it. */
export function readHead(bytes: Uint8Array): Head {
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
  const times = readTimes(reader, start, readings, step)
  return { readings, columns, times, length: reader.at }
}

/** Says which bytes of the data, from `from` to before `end`, have the column `index`, beside others. */
export function columnRange(head: Uint8Array, index: number): { from: number; end: number } {
  const reader = new ByteReader(head)
  reader.at = HEAD_FIXED + 3 * Math.floor(index / GROUP)
  return { from: reader.uint(3), end: reader.uint(3) }
}
