/** Says in a sentence why bytes are no chunk, or values cannot become one. */
export class ChunkError extends Error {
  override readonly name = 'ChunkError'
}

/** How many columns share one offset in the head. */
export const GROUP = 16

/** The bytes of a head before the offsets: f64 start, u16 readings, u16 zero, u32 columns, u32 step. */
export const HEAD_FIXED = 20

/** A chunk of constants is tiny: these bounds keep what decoding allocates at 16 MB. */
export const MAX_READINGS = 4_096
export const MAX_VALUES = 2_000_000

/** The sizes of a mantissa that fit into the three free bits of a column of floats. */
export const MANTISSAS: readonly number[] = [8, 10, 12, 13, 14, 16, 20, 23]

/** How a column keeps its values; the lowest three bits of its first byte. */
export const KIND = {
  CONSTANT_INTEGER: 0,
  CONSTANT_FLOAT: 1,
  OFFSETS: 2,
  DELTAS: 3,
  FLOAT_OFFSETS: 4,
  FLOAT_DELTAS: 5,
  RAW: 6,
} as const

export const HAS_GAPS = 0x08
/** Two bits: values are integers divided by 10 to this power. */
export const SCALE_SHIFT = 4
export const HAS_ZERO = 0x40

/** A column of floats has no scale: its two bits and the highest one hold the index of the mantissa. */
export const mantissaFlags = (index: number): number => ((index & 3) << SCALE_SHIFT) | ((index >> 2) << 7)
export const mantissaOf = (flags: number): number =>
  MANTISSAS[((flags >> SCALE_SHIFT) & 3) | ((flags >> 7) << 2)] as number

/** Integers of this size and beyond are kept as floats. */
export const INTEGER_LIMIT = 2 ** 52

/** Checks that a chunk of this size may exist, before memory is taken for it. */
export function checkSize(columns: number, readings: number): void {
  if (readings < 1 || readings > MAX_READINGS) {
    throw new ChunkError(`A chunk has 1 to ${MAX_READINGS} readings, not ${readings}.`)
  }
  if (columns * readings > MAX_VALUES) {
    throw new ChunkError(`A chunk has at most ${MAX_VALUES} values, not ${columns} times ${readings}.`)
  }
}
