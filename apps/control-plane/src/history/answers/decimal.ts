/**
 * Numbers of answers. The history keeps numbers that are not whole within 6.1e-5: an answer has nine digits of them, or all
 * before the point. Whole numbers are exact.
 */
const significantDigits = 9
const mostDecimals = 11
/** Below it, and above the largest safe integer, numbers are left to the engine. */
const leastSize = 1e-3
const scales = Array.from({ length: mostDecimals + 1 }, (_, decimals) => 10 ** decimals)

/** Characters of the longest number. */
export const longestNumber = 25

/** Returns a number as answers have it. */
export function rounded(value: number): number {
  if (Number.isInteger(value)) return value
  const size = Math.abs(value)
  if (size < leastSize) return Number(value.toPrecision(significantDigits))
  const scale = scales[decimalsOf(size)]!
  return Math.round(value * scale) / scale
}

/** Writes a number as JSON, the same as of `rounded`, in a fraction of the time; a gap, NaN, is null. Returns where it ends. */
export function writeNumber(bytes: Buffer, at: number, value: number): number {
  if (Number.isNaN(value)) return writeNull(bytes, at)
  const size = Math.abs(value)
  if (size > Number.MAX_SAFE_INTEGER || (size < leastSize && size !== 0))
    return at + bytes.write(String(rounded(value)), at, 'latin1')
  let from = at
  if (value < 0) bytes[from++] = minus
  if (Number.isInteger(size)) return writeDigits(bytes, from, size, 0)
  const decimals = decimalsOf(size)
  // Of the value itself: Math.round rounds the half of a negative number up.
  return writeDigits(bytes, from, Math.abs(Math.round(value * scales[decimals]!)), decimals)
}

/** Writes thousandths of something as JSON, such as milliseconds as seconds. Returns where it ends. */
export function writeThousandths(bytes: Buffer, at: number, value: number): number {
  return writeDigits(bytes, at, value, 3)
}

/** Returns how many decimals make nine digits; none where so many are before the point. */
function decimalsOf(size: number): number {
  let decimals = mostDecimals
  for (let limit = leastSize * 10; size >= limit && decimals > 0; limit *= 10) decimals--
  return decimals
}

const nullBytes = Buffer.from('null')

function writeNull(bytes: Buffer, at: number): number {
  for (let i = 0; i < nullBytes.length; i++) bytes[at + i] = nullBytes[i]!
  return at + nullBytes.length
}

const minus = 45
const point = 46
const zero = 48

/** Writes a number of units of 10^-decimals, without zeros at the end of its decimals. */
function writeDigits(bytes: Buffer, at: number, units: number, decimals: number): number {
  let rest = units
  let left = decimals
  for (; left > 0; left--) {
    const tenth = Math.floor(rest / 10)
    if (tenth * 10 !== rest) break
    rest = tenth
  }
  const end = at + lengthOf(rest, left)
  let next = end
  for (let digit = 1; next > at; digit++) {
    const tenth = Math.floor(rest / 10)
    bytes[--next] = zero + rest - tenth * 10
    rest = tenth
    if (digit === left) bytes[--next] = point
  }
  return end
}

/** Returns how many characters a number with decimals has, at least one of them before the point. */
function lengthOf(units: number, decimals: number): number {
  let digits = 1
  for (let limit = 10; limit <= units; limit *= 10) digits++
  return decimals === 0 ? digits : Math.max(digits, decimals + 1) + 1
}
