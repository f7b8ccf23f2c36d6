// A proxy sends several of these lines in each request: they are parsed as bytes, into one object for all lines.

/** A line such as `proxy-server.object.GET.200.timing:12.5|ms|@0.1`; the name is a range of bytes. */
export interface StatsdLine {
  nameStart: number
  nameEnd: number
  /** `|ms`, a time in milliseconds; otherwise `|c`, a count. */
  isTimer: boolean
  value: number
  /** The number of events of this sample: one over the sampling rate. */
  weight: number
}

export const newStatsdLine = (): StatsdLine => ({ nameStart: 0, nameEnd: 0, isTimer: false, value: 0, weight: 1 })

const byte = { colon: 58, pipe: 124, at: 64, c: 99, m: 109, s: 115, plus: 43, minus: 45, point: 46, e: 101 }

/** Names of Swift are shorter. Longer ones are refused, because they increase the catalog. */
const longestName = 200
/** A larger value is damaged, and would spoil a sum. */
const largestValue = 1e15

/** Parses the line from `start` up to `end`; false for a line that Swift does not send. */
export function parseStatsdLine(bytes: Uint8Array, start: number, end: number, line: StatsdLine): boolean {
  const colon = find(bytes, byte.colon, start, end)
  const pipe = find(bytes, byte.pipe, colon, end)
  if (pipe === end || colon === start || colon - start > longestName) return false
  line.nameStart = start
  line.nameEnd = colon
  line.value = decimal(bytes, colon + 1, pipe)
  line.isTimer = bytes[pipe + 1] === byte.m
  const typeEnd = typeEndOf(bytes, pipe + 1, end)
  line.weight = typeEnd === -1 ? Number.NaN : weightOf(bytes, typeEnd, end)
  if (Number.isNaN(line.weight)) return false
  return Math.abs(line.value) <= largestValue && !(line.isTimer && line.value < 0)
}

function find(bytes: Uint8Array, wanted: number, start: number, end: number): number {
  let i = start
  while (i < end && bytes[i] !== wanted) i++
  return i
}

/** Returns the end of `c` or `ms`; -1 for any other type. */
function typeEndOf(bytes: Uint8Array, start: number, end: number): number {
  if (start < end && bytes[start] === byte.c) return start + 1
  return start + 1 < end && bytes[start] === byte.m && bytes[start + 1] === byte.s ? start + 2 : -1
}

/** Parses the rest of a line: empty, or `|@` and a sampling rate above 0 and up to 1. */
function weightOf(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return 1
  if (bytes[start] !== byte.pipe || bytes[start + 1] !== byte.at) return Number.NaN
  const rate = decimal(bytes, start + 2, end)
  // A lower rate than one in a million is a mistake in a configuration.
  return rate >= 1e-6 && rate <= 1 ? 1 / rate : Number.NaN
}

/** Parses a number of Python: `12`, `-1`, `0.25`, `9.5e-05`; NaN for anything else. */
export function decimal(bytes: Uint8Array, start: number, end: number): number {
  return bytes[start] === byte.minus ? -unsigned(bytes, start + 1, end) : unsigned(bytes, start, end)
}

function unsigned(bytes: Uint8Array, start: number, end: number): number {
  let mantissa = 0
  let digits = 0
  let point = -1
  let i = start
  for (; i < end; i++) {
    const digit = (bytes[i] as number) - 48
    if (digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit
      digits++
    } else if (bytes[i] === byte.point && point === -1) point = digits
    else break
  }
  if (digits === 0) return Number.NaN
  const scale = (i === end ? 0 : exponent(bytes, i, end)) - (point === -1 ? 0 : digits - point)
  return scale < 0 ? mantissa / 10 ** -scale : mantissa * 10 ** scale
}

/** Parses the exponent at the end of a number, as in `e-05`. */
function exponent(bytes: Uint8Array, start: number, end: number): number {
  const sign = bytes[start + 1]
  if (bytes[start] !== byte.e || (sign !== byte.plus && sign !== byte.minus)) return Number.NaN
  let value = start + 2 < end ? 0 : Number.NaN
  for (let i = start + 2; i < end; i++) {
    const digit = (bytes[i] as number) - 48
    value = digit >= 0 && digit <= 9 ? value * 10 + digit : Number.NaN
  }
  return sign === byte.minus ? -value : value
}
