import { RoostError } from '@roost/api-types/rest'
import { varint } from './snappy.js'

/** A field of a message: a number, or bytes where its type has a length. */
export interface Field {
  readonly number: number
  readonly value: number | Uint8Array
}

/** Reads the fields of a message in their order. Throws `invalid`. */
export function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  let at = 0
  const readVarint = () => {
    let value = 0
    for (let i = 0; i < 10; i++) {
      const byte = bytes[at++]
      if (byte === undefined) break
      value += (byte & 127) * 128 ** i
      if (byte < 128) return value
    }
    throw new RoostError('invalid', 'The body is not a valid message.')
  }
  const skip = (count: number) => {
    at += count
    if (at > bytes.length) throw new RoostError('invalid', 'The body is not a valid message.')
    return bytes.subarray(at - count, at)
  }
  while (at < bytes.length) {
    const tag = readVarint()
    const number = Math.floor(tag / 8)
    switch (tag % 8) {
      case 0:
        yield { number, value: readVarint() }
        break
      case 1:
        yield { number, value: skip(8) }
        break
      case 2:
        yield { number, value: skip(readVarint()) }
        break
      case 5:
        yield { number, value: skip(4) }
        break
      default:
        throw new RoostError('invalid', 'The body is not a valid message.')
    }
  }
}

/** Returns the tag and length before the bytes of a field. */
export function lengthPrefix(field: number, length: number): Buffer {
  return Buffer.concat([Buffer.from([field * 8 + 2]), varint(length)])
}

/** Encodes a field of bytes or text. */
export function lengthDelimited(field: number, value: Uint8Array | string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([lengthPrefix(field, bytes.length), bytes])
}
