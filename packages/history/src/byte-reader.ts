import { ChunkError } from './format.js'

const f64 = new Float64Array(1)
const f64Bytes = new Uint8Array(f64.buffer)

/** Reads a part of bytes and refuses, with a sentence, to read beyond it. */
export class ByteReader {
  readonly #bytes: Uint8Array
  end: number
  at: number

  constructor(bytes: Uint8Array, from = 0, end = bytes.length) {
    this.#bytes = bytes
    this.at = from
    this.end = end
  }

  /** Goes to another part of the bytes. */
  moveTo(from: number, end: number): void {
    this.at = from
    this.end = end
  }

  /** Checks that `count` bytes are left. */
  need(count: number): void {
    if (this.at + count > this.end) throw new ChunkError('The chunk ends within a value.')
  }

  u8(): number {
    this.need(1)
    return this.#bytes[this.at++] as number
  }

  uint(count: number): number {
    this.need(count)
    let value = 0
    for (let i = count - 1; i >= 0; i--) value = value * 256 + (this.#bytes[this.at + i] as number)
    this.at += count
    return value
  }

  f64(): number {
    this.need(8)
    for (let i = 0; i < 8; i++) f64Bytes[i] = this.#bytes[this.at++] as number
    return f64[0] as number
  }

  varint(): number {
    let value = 0
    let factor = 1
    for (;;) {
      const byte = this.u8()
      value += (byte & 127) * factor
      if (value > Number.MAX_SAFE_INTEGER) throw new ChunkError('An integer of the chunk has more than 53 bits.')
      if (byte < 128) return value % 2 === 1 ? -(value + 1) / 2 : value / 2
      factor *= 128
      if (factor > 2 ** 49) throw new ChunkError('An integer of the chunk has more than eight bytes.')
    }
  }

  /** Reads `count` values of `width` bits each. */
  unpack(count: number, width: number, to: Float64Array): void {
    if (width > 53) throw new ChunkError('A column of the chunk has values of more than 53 bits.')
    if (width > 24) {
      const bytes = Math.ceil(width / 8)
      this.need(count * bytes)
      for (let i = 0; i < count; i++) to[i] = this.uint(bytes)
      return
    }
    this.need(Math.ceil((count * width) / 8))
    const bytes = this.#bytes
    const mask = (1 << width) - 1
    let { at } = this
    let bits = 0
    let filled = 0
    for (let i = 0; i < count; i++) {
      while (filled < width) {
        bits |= (bytes[at++] as number) << filled
        filled += 8
      }
      to[i] = bits & mask
      bits >>>= width
      filled -= width
    }
    this.at = at
  }

  /** Refuses bytes that no value needs. */
  finish(): void {
    if (this.at !== this.end) throw new ChunkError('A column of the chunk has bytes that belong to no value.')
  }
}
