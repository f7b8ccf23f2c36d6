const f32 = new Float32Array(1)
const u32 = new Uint32Array(f32.buffer)
const LARGEST_FINITE = 0x7f7fffff

/** Magnitudes outside this range have no normal float of 32 bits; a column with one is kept raw. */
export const FLOAT_SMALLEST = 1e-37
export const FLOAT_LARGEST = 1e38

/** The number of bits that a float of 32 bits loses with a mantissa. */
export const shiftOf = (mantissa: number): number => 23 - mantissa

export const largestCode = (shift: number): number => LARGEST_FINITE >>> shift

/** Makes an ordered integer of a number that is not 0: its float bits, rounded to the mantissa. */
export function codeOf(value: number, shift: number): number {
  f32[0] = Math.abs(value)
  const bits = u32[0] as number
  const code = shift === 0 ? bits : (bits + (1 << (shift - 1))) >>> shift
  return value < 0 ? -code : code
}

/** Makes the number of a code again. */
export function valueOf(code: number, shift: number): number {
  u32[0] = Math.abs(code) << shift
  const value = f32[0] as number
  return code < 0 ? -value : value
}
