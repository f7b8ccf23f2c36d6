import type { ByteWriter } from './byte-writer.js'
import { codeOf, FLOAT_LARGEST, FLOAT_SMALLEST, shiftOf } from './float-code.js'
import {
  HAS_GAPS,
  HAS_ZERO,
  INTEGER_LIMIT,
  KIND,
  MANTISSAS,
  MAX_READINGS,
  mantissaFlags,
  SCALE_SHIFT,
} from './format.js'

const present = new Float64Array(MAX_READINGS)
const packed = new Float64Array(MAX_READINGS)

/** What is in `present`, from one walk over the column. */
type Facts = { count: number; integers: boolean; min: number; max: number; zero: boolean; wide: boolean }

/** Copies the values that exist into `present`. Infinity is no reading: it counts as no value. */
function gather(column: Float64Array, readings: number): Facts {
  const facts: Facts = { count: 0, integers: true, min: Infinity, max: -Infinity, zero: false, wide: false }
  for (let i = 0; i < readings; i++) {
    const value = column[i] as number
    if (!Number.isFinite(value)) continue
    present[facts.count++] = value
    if (value < facts.min) facts.min = value
    if (value > facts.max) facts.max = value
    if (value === 0) facts.zero = true
    else noteMagnitude(facts, value)
  }
  return facts
}

function noteMagnitude(facts: Facts, value: number): void {
  const magnitude = Math.abs(value)
  if (facts.integers && (magnitude >= INTEGER_LIMIT || value !== Math.round(value))) facts.integers = false
  if (magnitude > FLOAT_LARGEST || magnitude < FLOAT_SMALLEST) facts.wide = true
}

/** Writes a bit for each reading: whether it has a value. */
function writeBitmap(writer: ByteWriter, column: Float64Array, readings: number): void {
  let byte = 0
  for (let i = 0; i < readings; i++) {
    if (Number.isFinite(column[i])) byte |= 1 << (i & 7)
    if ((i & 7) === 7 || i === readings - 1) {
      writer.u8(byte)
      byte = 0
    }
  }
}

/** Makes integers of values with at most three decimals, such as loads; answers how many, or 0. */
function scaleDecimals(facts: Facts): number {
  if (facts.max >= 1e6 || facts.min <= -1e6) return 0
  for (let scale = 1; scale <= 3; scale++) {
    const factor = 10 ** scale
    let i = 0
    // Only what division gives back exactly: a tolerance would make 0 of a very small value.
    while (i < facts.count && Math.round((present[i] as number) * factor) / factor === present[i]) i++
    if (i < facts.count) continue
    for (let k = 0; k < facts.count; k++) present[k] = Math.round((present[k] as number) * factor)
    facts.min = Math.round(facts.min * factor)
    facts.max = Math.round(facts.max * factor)
    return scale
  }
  return 0
}

/** Makes ordered integer codes of the values; zero gets the lowest one. */
function toCodes(facts: Facts, shift: number): void {
  let min = Infinity
  let max = -Infinity
  for (let i = 0; i < facts.count; i++) {
    if (present[i] === 0) continue
    const code = codeOf(present[i] as number, shift)
    present[i] = code
    if (code < min) min = code
    if (code > max) max = code
  }
  facts.min = facts.zero ? min - 1 : min
  facts.max = max
  if (!facts.zero) return
  // No value but zero has code 0.
  for (let i = 0; i < facts.count; i++) if (present[i] === 0) present[i] = facts.min
}

const bitsOf = (value: number): number =>
  value < 2 ** 32 ? 32 - Math.clz32(value) : 64 - Math.clz32(Math.floor(value / 2 ** 32))

/** Fills `packed` with the zigzag differences and answers the width of the largest. */
function deltasWidth(count: number): number {
  let largest = 0
  for (let i = 1; i < count; i++) {
    const delta = (present[i] as number) - (present[i - 1] as number)
    const zigzag = delta < 0 ? -delta * 2 - 1 : delta * 2
    packed[i - 1] = zigzag
    if (zigzag > largest) largest = zigzag
  }
  return bitsOf(largest)
}

type Packing = { plain: number; deltas: number; flags: number }

/** Writes integers as offsets from the least one, or as differences where these are narrower. */
function writeIntegers(writer: ByteWriter, headAt: number, facts: Facts, { plain, deltas, flags }: Packing): void {
  const { count, min, max } = facts
  const width = bitsOf(max - min)
  const deltaWidth = deltasWidth(count)
  if (deltaWidth < width) {
    writer.setU8(headAt, deltas | flags)
    writer.varint(present[0] as number)
    if (flags & HAS_ZERO) writer.varint(min)
    writer.u8(deltaWidth)
    writer.pack(packed, count - 1, deltaWidth)
    return
  }
  writer.setU8(headAt, plain | flags)
  writer.varint(min)
  writer.u8(width)
  for (let i = 0; i < count; i++) packed[i] = (present[i] as number) - min
  writer.pack(packed, count, width)
}

function writeConstant(writer: ByteWriter, headAt: number, value: number, flags: number): void {
  if (Number.isInteger(value) && Math.abs(value) < INTEGER_LIMIT) {
    writer.setU8(headAt, KIND.CONSTANT_INTEGER | flags | (value === 0 ? HAS_ZERO : 0))
    if (value !== 0) writer.varint(value)
    return
  }
  writer.setU8(headAt, KIND.CONSTANT_FLOAT | flags)
  writer.f64(value)
}

function writeFloats(writer: ByteWriter, headAt: number, facts: Facts, flags: number, mantissa: number): void {
  if (facts.wide) {
    writer.setU8(headAt, KIND.RAW | flags)
    for (let i = 0; i < facts.count; i++) writer.f64(present[i] as number)
    return
  }
  toCodes(facts, shiftOf(mantissa))
  const floatFlags = flags | (facts.zero ? HAS_ZERO : 0) | mantissaFlags(MANTISSAS.indexOf(mantissa))
  writeIntegers(writer, headAt, facts, { plain: KIND.FLOAT_OFFSETS, deltas: KIND.FLOAT_DELTAS, flags: floatFlags })
}

/** Writes a column: nothing at all where no reading has a value. */
export function writeColumn(writer: ByteWriter, column: Float64Array, readings: number, mantissa: number): void {
  const facts = gather(column, readings)
  if (facts.count === 0) return
  const headAt = writer.length
  writer.u8(0)
  const flags = facts.count < readings ? HAS_GAPS : 0
  if (flags) writeBitmap(writer, column, readings)
  if (facts.min === facts.max) return writeConstant(writer, headAt, facts.min, flags)
  const scale = facts.integers ? 0 : scaleDecimals(facts)
  if (!facts.integers && scale === 0) return writeFloats(writer, headAt, facts, flags, mantissa)
  const scaled = flags | (scale << SCALE_SHIFT)
  writeIntegers(writer, headAt, facts, { plain: KIND.OFFSETS, deltas: KIND.DELTAS, flags: scaled })
}
