import { ByteReader } from './byte-reader.js'
import { readColumn } from './decode-column.js'
import type { Chunk } from './encode.js'
import { ChunkError, checkSize, GROUP } from './format.js'
import { columnRange, readHead } from './head.js'

export type DecodedChunk = { times: Float64Array; columns: Float64Array[] }

/** Finds where the columns of the group in bytes `from` to `end` begin, and after them where the last one ends. */
function findColumns(bytes: Uint8Array, from: number, end: number, begins: Uint32Array): void {
  if (from + GROUP > end) throw new ChunkError('The chunk ends within a value.')
  let wide = 0
  for (let i = 0; i < GROUP; i++) if (bytes[from + i] === 255) wide += 1
  const columnsEnd = end - 4 * wide
  const lengths = new ByteReader(bytes, Math.max(from + GROUP, columnsEnd), end)
  let at = from + GROUP
  for (let i = 0; i < GROUP; i++) {
    begins[i] = at
    const length = bytes[from + i] as number
    at += length === 255 ? lengths.uint(4) : length
    if (at > columnsEnd) throw new ChunkError('A column of the chunk ends outside its group.')
  }
  if (at !== columnsEnd) throw new ChunkError('A group of the chunk has bytes that belong to no column.')
  begins[GROUP] = at
}

const beginsOfSlice = new Uint32Array(GROUP + 1)

/** Where the values of a column go: as many as the chunk has readings, from a position on. */
export interface Space {
  readonly values: Float64Array
  readonly at: number
  readonly readings: number
}

/** Reads column `index` from the slice of the data that `columnRange` gives. */
export function decodeColumn(slice: Uint8Array, index: number, { values, at, readings }: Space): void {
  findColumns(slice, 0, slice.length, beginsOfSlice)
  const position = index % GROUP
  const reader = new ByteReader(slice, beginsOfSlice[position], beginsOfSlice[position + 1])
  readColumn(reader, slice, values, at, readings)
}

/**
 * Reads column `index` from a part of its group: the lengths of its columns, each below 255, and its columns from `first` on.
 */
export function decodeCutColumn(part: Uint8Array, first: number, index: number, { values, at, readings }: Space): void {
  if (part.length < GROUP) throw new ChunkError('The chunk ends within a value.')
  let from = GROUP
  for (let i = first % GROUP; i < index % GROUP; i++) from += part[i] as number
  const end = from + (part[index % GROUP] as number)
  if (end > part.length) throw new ChunkError('A column of the chunk ends outside its group.')
  readColumn(new ByteReader(part, from, end), part, values, at, readings)
}

/** Reads the times of a head. Throws a `ChunkError` unless it has these columns and readings. */
function readTimes(head: Uint8Array, columns: number, readings: number): Float64Array {
  const opened = readHead(head)
  if (opened.length !== head.length) throw new ChunkError('The head of the chunk has bytes that belong to nothing.')
  if (opened.columns !== columns) throw new ChunkError(`The chunk has ${opened.columns} columns, not ${columns}.`)
  if (opened.readings !== readings) throw new ChunkError(`The chunk has ${opened.readings} readings, not ${readings}.`)
  return opened.times
}

/** Gets the values of column `index`, which are overwritten by those of the next one. */
export type ColumnVisitor = (index: number, values: Float64Array) => void

/**
 * Reads a chunk column by column, without memory for all of them, and returns its times. Throws a `ChunkError` unless every byte
 * of it has its meaning.
 */
export function readChunk(
  head: Uint8Array,
  data: Uint8Array,
  columns: number,
  readings: number,
  visit: ColumnVisitor,
): Float64Array {
  const times = readTimes(head, columns, readings)
  const values = new Float64Array(readings)
  const begins = new Uint32Array(GROUP + 1)
  const reader = new ByteReader(data)
  let expected = 0
  for (let first = 0; first < columns; first += GROUP) {
    const { from, end } = columnRange(head, first)
    if (from !== expected || end < from || end > data.length) {
      throw new ChunkError('The head of the chunk says that a group begins where none does.')
    }
    findColumns(data, from, end, begins)
    const inGroup = Math.min(GROUP, columns - first)
    if (begins[inGroup] !== begins[GROUP]) throw new ChunkError('The chunk has more columns than its head says.')
    for (let position = 0; position < inGroup; position++) {
      reader.moveTo(begins[position] as number, begins[position + 1] as number)
      readColumn(reader, data, values, 0, readings)
      visit(first + position, values)
    }
    expected = end
  }
  if (expected !== data.length) throw new ChunkError('The data of the chunk has bytes that belong to no column.')
  return times
}

/** Reads a chunk with all of its columns. Throws a `ChunkError` unless every byte of it has its meaning. */
export function decodeChunk(head: Uint8Array, data: Uint8Array, columns: number, readings: number): DecodedChunk {
  checkSize(columns, readings)
  const all = new Float64Array(columns * readings)
  const times = readChunk(head, data, columns, readings, (index, values) => all.set(values, index * readings))
  return {
    times,
    columns: Array.from({ length: columns }, (_, i) => all.subarray(i * readings, (i + 1) * readings)),
  }
}

/** Divides the bytes of a chunk, head first, into its two parts. */
export function splitChunk(bytes: Uint8Array): Chunk {
  const { length } = readHead(bytes)
  return { head: bytes.subarray(0, length), data: bytes.subarray(length) }
}
