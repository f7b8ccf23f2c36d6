const f64 = new Float64Array(1)
const f64Bytes = new Uint8Array(f64.buffer)

/** A buffer that grows as it is written; all numbers are little-endian. */
export class ByteWriter {
  #bytes = new Uint8Array(65_536)
  length = 0

  /** Makes sure that `count` bytes fit without further growth. */
  reserve(count: number): void {
    const needed = this.length + count
    if (needed <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(needed, this.#bytes.length * 2))
    larger.set(this.#bytes.subarray(0, this.length))
    this.#bytes = larger
  }

  u8(value: number): void {
    this.reserve(1)
    this.#bytes[this.length++] = value
  }

  setU8(at: number, value: number): void {
    this.#bytes[at] = value
  }

  /** Writes the lowest `count` bytes of a non-negative integer below 2^53. */
  uint(value: number, count: number): void {
    this.reserve(count)
    let rest = value
    for (let i = 0; i < count; i++) {
      const higher = Math.floor(rest / 256)
      this.#bytes[this.length++] = rest - higher * 256
      rest = higher
    }
  }

  f64(value: number): void {
    this.reserve(8)
    f64[0] = value
    this.#bytes.set(f64Bytes, this.length)
    this.length += 8
  }

  /** Writes an integer of magnitude below 2^52 as a zigzag varint. */
  varint(value: number): void {
    this.reserve(8)
    let rest = value < 0 ? -value * 2 - 1 : value * 2
    while (rest >= 128) {
      this.#bytes[this.length++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.length++] = rest
  }

  /** Writes the first `count` values with `width` bits each; a width above 24 is rounded up to bytes. */
  pack(values: Float64Array, count: number, width: number): void {
    if (width > 24) {
      const bytes = Math.ceil(width / 8)
      for (let i = 0; i < count; i++) this.uint(values[i] as number, bytes)
      return
    }
    if (width === 0) return
    this.reserve(Math.ceil((count * width) / 8))
    let bits = 0
    let filled = 0
    for (let i = 0; i < count; i++) {
      // At most 7 bits wait, so that 24 more stay within a signed 32-bit integer.
      bits |= (values[i] as number) << filled
      filled += width
      while (filled >= 8) {
        this.#bytes[this.length++] = bits & 255
        bits >>>= 8
        filled -= 8
      }
    }
    if (filled > 0) this.#bytes[this.length++] = bits
  }

  /** Copies what was written and begins again with the same memory. */
  copyAndClear(): Uint8Array {
    const copy = this.#bytes.slice(0, this.length)
    this.length = 0
    return copy
  }

  clear(): void {
    this.length = 0
  }
}
