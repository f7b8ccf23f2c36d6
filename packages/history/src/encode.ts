import { ByteWriter } from './byte-writer.js'
import { writeColumn } from './encode-column.js'
import { ChunkError, checkSize, GROUP, MANTISSAS } from './format.js'

/** All series over a window: column `j` has a value for each time, or NaN. Times are milliseconds. */
export type Window = { times: Float64Array; columns: readonly Float64Array[]; mantissa: number }

/** A chunk in its two parts: `head` says when the readings were and where in `data` the columns are. */
export type Chunk = { head: Uint8Array; data: Uint8Array }

const writer = new ByteWriter()
const U24 = 2 ** 24

/** Writes sixteen columns behind the bytes of their lengths; lengths above 254 are at the group's end. */
function writeGroup(columns: readonly Float64Array[], first: number, readings: number, mantissa: number): void {
  const lengthsAt = writer.length
  const wide: number[] = []
  writer.uint(0, GROUP)
  for (let j = 0; j < GROUP && first + j < columns.length; j++) {
    const at = writer.length
    writeColumn(writer, columns[first + j] as Float64Array, readings, mantissa)
    const length = writer.length - at
    if (length > 254) wide.push(length)
    writer.setU8(lengthsAt + j, Math.min(length, 255))
  }
  for (const length of wide) writer.uint(length, 4)
}

function checkWindow({ times, columns, mantissa }: Window): void {
  checkSize(columns.length, times.length)
  if (!MANTISSAS.includes(mantissa)) {
    throw new ChunkError(`A mantissa has one of ${MANTISSAS.join(', ')} bits, not ${mantissa}.`)
  }
  if (columns.some((column) => column.length < times.length)) {
    throw new ChunkError('A column of the window is shorter than its times.')
  }
  if (!times.every((time) => Math.abs(time) < 8.64e15)) throw new ChunkError('A time of the window is not a time.')
}

/** Makes the head: start, sizes, step, where each group begins, and how far each interval is from the step. */
function encodeHead(times: Float64Array, columns: number, offsets: readonly number[]): Uint8Array {
  const start = Math.round(times[0] as number)
  const last = Math.round(times[times.length - 1] as number)
  // A clock that went backwards has intervals below the step, which varints can say.
  const step =
    times.length > 1 ? Math.max(0, Math.min(2 ** 32 - 1, Math.round((last - start) / (times.length - 1)))) : 0
  writer.clear()
  writer.f64(start)
  writer.uint(times.length, 2)
  writer.uint(0, 2)
  writer.uint(columns, 4)
  writer.uint(step, 4)
  for (const offset of offsets) writer.uint(offset, 3)
  for (let i = 1, before = start; i < times.length; i++) {
    const time = Math.round(times[i] as number)
    writer.varint(time - before - step)
    before = time
  }
  return writer.copyAndClear()
}

/** Makes the chunk of a window. */
export function encodeChunk(window: Window): Chunk {
  checkWindow(window)
  const { times, columns, mantissa } = window
  const offsets: number[] = []
  writer.clear()
  for (let first = 0; first < columns.length; first += GROUP) {
    offsets.push(writer.length)
    writeGroup(columns, first, times.length, mantissa)
  }
  offsets.push(writer.length)
  if (writer.length >= U24) throw new ChunkError('The window makes a chunk of more than 16 MiB.')
  const data = writer.copyAndClear()
  return { head: encodeHead(times, columns.length, offsets), data }
}
