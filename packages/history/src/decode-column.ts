import type { ByteReader } from './byte-reader.js'
import { largestCode, shiftOf, valueOf } from './float-code.js'
import { ChunkError, HAS_GAPS, HAS_ZERO, KIND, MAX_READINGS, mantissaOf, SCALE_SHIFT } from './format.js'

const present = new Float64Array(MAX_READINGS)
const packed = new Float64Array(MAX_READINGS)

/** Reads integers into `present`; answers the code of zero, which only columns of floats have. */
function readIntegers(reader: ByteReader, count: number, kind: number, flags: number): number {
  const deltas = kind === KIND.DELTAS || kind === KIND.FLOAT_DELTAS
  const base = reader.varint()
  const zero = flags & HAS_ZERO && deltas ? reader.varint() : base
  const width = reader.u8()
  if (!deltas) {
    reader.unpack(count, width, present)
    for (let i = 0; i < count; i++) present[i] = (present[i] as number) + base
    return zero
  }
  reader.unpack(count - 1, width, packed)
  let current = base
  present[0] = current
  for (let i = 1; i < count; i++) {
    const zigzag = packed[i - 1] as number
    const half = Math.floor(zigzag / 2)
    current += half * 2 === zigzag ? half : -half - 1
    present[i] = current
  }
  return zero
}

/** Makes numbers of the codes in `present`. */
function fromCodes(count: number, zero: number, flags: number): void {
  const shift = shiftOf(mantissaOf(flags))
  const largest = largestCode(shift)
  const zeroCode = flags & HAS_ZERO ? zero : Number.NaN
  for (let i = 0; i < count; i++) {
    const code = present[i] as number
    if (code === zeroCode) {
      present[i] = 0
      continue
    }
    if (Math.abs(code) > largest) throw new ChunkError('A column of the chunk has a number that is not finite.')
    present[i] = valueOf(code, shift)
  }
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new ChunkError('A column of the chunk has a number that is not finite.')
  return value
}

/** Divides by the decimal scale of the column. */
function unscale(count: number, flags: number): void {
  const scale = (flags >> SCALE_SHIFT) & 3
  if (scale === 0) return
  const factor = 10 ** scale
  for (let i = 0; i < count; i++) present[i] = (present[i] as number) / factor
}

/** Reads `count` values into `present`. */
function readValues(reader: ByteReader, count: number, flags: number): void {
  const kind = flags & 7
  switch (kind) {
    case KIND.CONSTANT_INTEGER:
      present.fill(flags & HAS_ZERO ? 0 : reader.varint(), 0, count)
      return
    case KIND.CONSTANT_FLOAT:
      present.fill(finite(reader.f64()), 0, count)
      return
    case KIND.RAW:
      reader.need(count * 8)
      for (let i = 0; i < count; i++) present[i] = finite(reader.f64())
      return
    case KIND.OFFSETS:
    case KIND.DELTAS:
      readIntegers(reader, count, kind, flags)
      return unscale(count, flags)
    case KIND.FLOAT_OFFSETS:
    case KIND.FLOAT_DELTAS:
      return fromCodes(count, readIntegers(reader, count, kind, flags), flags)
    default:
      throw new ChunkError(`A column of the chunk has the kind ${kind}, which is unknown.`)
  }
}

/** Counts the values of a bitmap and goes past it. */
function readBitmap(reader: ByteReader, bytes: Uint8Array, readings: number): number {
  const length = Math.ceil(readings / 8)
  reader.need(length)
  let count = 0
  for (let i = 0; i < readings; i++) count += ((bytes[reader.at + (i >> 3)] as number) >> (i & 7)) & 1
  reader.at += length
  if (count === 0) throw new ChunkError('A column of the chunk has a bitmap without a value.')
  return count
}

/** Reads the column that a reader of bytes is at into `readings` values from `at` on; NaN is where there is no value. */
export function readColumn(
  reader: ByteReader,
  bytes: Uint8Array,
  to: Float64Array,
  at: number,
  readings: number,
): void {
  if (reader.at === reader.end) {
    to.fill(Number.NaN, at, at + readings)
    return
  }
  const flags = reader.u8()
  const bitmapAt = reader.at
  const count = flags & HAS_GAPS ? readBitmap(reader, bytes, readings) : readings
  readValues(reader, count, flags)
  reader.finish()
  if (!(flags & HAS_GAPS)) {
    for (let i = 0; i < readings; i++) to[at + i] = present[i] as number
    return
  }
  for (let i = 0, k = 0; i < readings; i++) {
    const exists = ((bytes[bitmapAt + (i >> 3)] as number) >> (i & 7)) & 1
    to[at + i] = exists ? (present[k++] as number) : Number.NaN
  }
}
