import { Buffer } from 'node:buffer'

/** Maps each byte of a name to itself, or to `_` if it has a meaning in queries or cannot be printed. */
const plain = new Uint8Array(256).fill(95)
for (let code = 33; code < 127; code++) plain[code] = code
for (const code of Buffer.from(',*/')) plain[code] = 95

/** An entry with its name and the hash of the name. */
interface Named {
  readonly hash: number
  readonly isTimer: boolean
  /** The cleaned bytes of the name. */
  readonly key: Uint8Array
}

/** Finds the entry of a name by the bytes of a datagram, without a string for a known name. */
export class NameTable<T extends Named> {
  /** A table with open addressing, at most half full. */
  readonly #slots: (T | undefined)[]
  readonly #mask: number

  constructor(maxNames: number) {
    const size = 2 ** Math.ceil(Math.log2(maxNames * 2))
    this.#slots = Array.from<T | undefined>({ length: size })
    this.#mask = size - 1
  }

  find(bytes: Uint8Array, start: number, end: number, isTimer: boolean): T | undefined {
    const hash = hashOf(bytes, start, end, isTimer)
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const there = this.#slots[slot]
      if (there === undefined) return undefined
      if (there.hash === hash && there.isTimer === isTimer && same(there.key, bytes, start, end)) return there
    }
  }

  /** Adds an entry that is not in the table. */
  add(entry: T): void {
    let slot = entry.hash & this.#mask
    while (this.#slots[slot] !== undefined) slot = (slot + 1) & this.#mask
    this.#slots[slot] = entry
  }

  /** Replaces all entries. */
  replace(entries: readonly T[]): void {
    this.#slots.fill(undefined)
    for (const entry of entries) this.add(entry)
  }
}

/** The prefix of `log_name` in the configuration of Debian's packages, which Swift sends as the name of the server. */
const prefix = Buffer.from('swift-')
const server = /^(?:(?:account|container|object)-[a-z]+|proxy-server)$/
const longestServer = 'container-reconciler'.length

/** Returns the start of the name of Swift's server in a name: behind the prefix, if one precedes it. */
export function serverStart(bytes: Uint8Array, start: number, end: number): number {
  for (let i = 0; i < prefix.length; i++) if (bytes[start + i] !== prefix[i]) return start
  const from = start + prefix.length
  const point = bytes.indexOf(46, from)
  if (point < 0 || point >= end || point - from > longestServer) return start
  return server.test(Buffer.from(bytes.subarray(from, point)).toString('latin1')) ? from : start
}

/** Returns FNV-1a of the cleaned bytes, so that names that are equal after cleaning are one. */
export function hashOf(bytes: Uint8Array, start: number, end: number, isTimer: boolean): number {
  let hash = isTimer ? 0x811c9dc5 : 0x01000193
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (plain[bytes[i] as number] as number), 0x01000193)
  return hash ^ (hash >>> 15)
}

export function cleaned(bytes: Uint8Array, start: number, end: number): Buffer {
  return Buffer.from(bytes.subarray(start, end).map((code) => plain[code] as number))
}

function same(key: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (key.length !== end - start) return false
  for (let i = 0; i < key.length; i++) if (key[i] !== plain[bytes[start + i] as number]) return false
  return true
}
