import { RoostError } from '@roost/api-types/rest'

/** Bytes of a literal that need a length of two bytes. */
const largestLiteral = 65_536

/**
 * Writes snappy's block format with literals only: bytes of high entropy gain little by its copies, and the length is known
 * before the first byte, so that a long answer can be sent as it is made.
 */
export function* snappyLiterals(length: number, pieces: Iterable<Buffer>): Generator<Buffer> {
  yield varint(length)
  for (const piece of pieces)
    for (let from = 0; from < piece.length; from += largestLiteral) {
      const part = piece.subarray(from, from + largestLiteral)
      yield Buffer.from([61 << 2, (part.length - 1) & 255, (part.length - 1) >> 8])
      yield part
    }
}

/** Decompresses a block. Throws `invalid` for one that is damaged or larger than `most`. */
export function uncompress(bytes: Uint8Array, most: number): Buffer {
  const { value: length, next } = readLength(bytes)
  if (length > most) throw new RoostError('too_large', `The request is larger than ${most} bytes.`)
  const to = Buffer.alloc(length)
  let at = next
  let written = 0
  while (at < bytes.length) {
    const tag = bytes[at]!
    const element = (tag & 3) === 0 ? literal(bytes, at) : copy(bytes, at, tag)
    writeElement(bytes, element, to, written)
    written += element.size
    at = element.offset > 0 ? element.start : element.start + element.size
  }
  if (written !== length) throw damaged()
  return to
}

interface Element {
  /** Of the bytes of a literal, or of the next element after a copy. */
  readonly start: number
  readonly size: number
  /** How far back a copy begins; 0 for a literal. */
  readonly offset: number
}

/** Writes an element after what was written. The bytes of a copy may be those that it writes itself. */
function writeElement(bytes: Uint8Array, { start, size, offset }: Element, to: Buffer, written: number): void {
  if (size > to.length - written || offset > written) throw damaged()
  if (offset > 0) {
    for (let i = 0; i < size; i++) to[written + i] = to[written + i - offset]!
    return
  }
  if (start + size > bytes.length) throw damaged()
  to.set(bytes.subarray(start, start + size), written)
}

function literal(bytes: Uint8Array, at: number): Element {
  const short = bytes[at]! >> 2
  if (short < 60) return { start: at + 1, size: short + 1, offset: 0 }
  const extra = short - 59
  return { start: at + 1 + extra, size: littleEndian(bytes, at + 1, extra) + 1, offset: 0 }
}

function copy(bytes: Uint8Array, at: number, tag: number): Element {
  const kind = tag & 3
  const isShort = kind === 1
  const size = isShort ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1
  const width = isShort ? 1 : kind === 2 ? 2 : 4
  const offset = littleEndian(bytes, at + 1, width) + (isShort ? (tag >> 5) * 256 : 0)
  if (offset === 0) throw damaged()
  return { start: at + 1 + width, size, offset }
}

function littleEndian(bytes: Uint8Array, at: number, width: number): number {
  let value = 0
  for (let i = width - 1; i >= 0; i--) value = value * 256 + (bytes[at + i] ?? 0)
  return value
}

function readLength(bytes: Uint8Array): { readonly value: number; readonly next: number } {
  let value = 0
  for (let i = 0; i < 5; i++) {
    const byte = bytes[i]
    if (byte === undefined) throw damaged()
    value += (byte & 127) * 128 ** i
    if (byte < 128) return { value, next: i + 1 }
  }
  throw damaged()
}

function damaged(): RoostError {
  return new RoostError('invalid', 'The body is not valid snappy.')
}

/** Encodes a non-negative integer with seven bits a byte. */
export function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) | 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
  return Buffer.from(bytes)
}
