import { ByteReader } from './byte-reader.js'
import { readColumn } from './decode-column.js'
import type { Chunk } from './encode.js'
import { ChunkError, GROUP } from './format.js'
import { columnRange, readHead } from './head.js'

export type DecodedChunk = { times: Float64Array; columns: Float64Array[] }

/** Where the columns of a group begin, and after them where the last one ends. */
function boundaries(group: Uint8Array): Uint32Array {
  const reader = new ByteReader(group)
  reader.need(GROUP)
  const wide = group.subarray(0, GROUP).reduce((count, length) => count + (length === 255 ? 1 : 0), 0)
  const columnsEnd = group.length - 4 * wide
  const lengths = new ByteReader(group, Math.max(GROUP, columnsEnd))
  const begins = new Uint32Array(GROUP + 1)
  let at = GROUP
  for (let i = 0; i < GROUP; i++) {
    begins[i] = at
    const length = group[i] as number
    at += length === 255 ? lengths.uint(4) : length
    if (at > columnsEnd) throw new ChunkError('A column of the chunk ends outside its group.')
  }
  if (at !== columnsEnd) throw new ChunkError('A group of the chunk has bytes that belong to no column.')
  begins[GROUP] = at
  return begins
}

function readInGroup(group: Uint8Array, begins: Uint32Array, position: number, readings: number): Float64Array {
  const values = new Float64Array(readings)
  readColumn(group, begins[position] as number, begins[position + 1] as number, values)
  return values
}

/** Reads column `index` from the slice of the data that `columnRange` gives. */
export function decodeColumn(slice: Uint8Array, index: number, readings: number): Float64Array {
  return readInGroup(slice, boundaries(slice), index % GROUP, readings)
}

/** Reads the columns of one group; a position without a column has no bytes. */
function decodeGroup(group: Uint8Array, columns: number, readings: number): Float64Array[] {
  const begins = boundaries(group)
  if (begins[columns] !== begins[GROUP]) throw new ChunkError('The chunk has more columns than its head says.')
  return Array.from({ length: columns }, (_, position) => readInGroup(group, begins, position, readings))
}

/** Reads a chunk. Throws a `ChunkError` unless every byte of it has its meaning. */
export function decodeChunk(head: Uint8Array, data: Uint8Array, columns: number, readings: number): DecodedChunk {
  const opened = readHead(head)
  if (opened.length !== head.length) throw new ChunkError('The head of the chunk has bytes that belong to nothing.')
  if (opened.columns !== columns) throw new ChunkError(`The chunk has ${opened.columns} columns, not ${columns}.`)
  if (opened.readings !== readings) throw new ChunkError(`The chunk has ${opened.readings} readings, not ${readings}.`)
  const decoded: Float64Array[] = []
  let expected = 0
  for (let first = 0; first < columns; first += GROUP) {
    const { from, end } = columnRange(head, first)
    if (from !== expected || end < from || end > data.length) {
      throw new ChunkError('The head of the chunk says that a group begins where none does.')
    }
    decoded.push(...decodeGroup(data.subarray(from, end), Math.min(GROUP, columns - first), readings))
    expected = end
  }
  if (expected !== data.length) throw new ChunkError('The data of the chunk has bytes that belong to no column.')
  return { times: opened.times, columns: decoded }
}

/** Divides the bytes of a chunk, head first, into its two parts. */
export function splitChunk(bytes: Uint8Array): Chunk {
  const { length } = readHead(bytes)
  return { head: bytes.subarray(0, length), data: bytes.subarray(length) }
}
