import type { ReadMessage } from './read-message.js'

interface Kept {
  readonly bytes: Buffer
  readonly message: ReadMessage
}

/** Maximum bytes of all kept messages; parsed they need four times as much memory. */
const maxBytes = 1 << 20
/** Smaller messages are parsed as fast as they are found. */
const minBytes = 4096

/**
 * Parses and checks equal catalogues once for all nodes. After a restart a thousand agents send the same bytes, since the
 * number of a catalogue is made of its content.
 */
export class RepeatedCatalogues {
  /** The most recent message comes first. */
  readonly #kept: Kept[] = []

  /** Returns the parsed message with the same bytes. */
  find(bytes: Buffer): ReadMessage | undefined {
    if (bytes.length < minBytes) return undefined
    const at = this.#kept.findIndex((kept) => kept.bytes.equals(bytes))
    const [found] = at === -1 ? [] : this.#kept.splice(at, 1)
    if (!found) return undefined
    this.#kept.unshift(found)
    return found.message
  }

  keep(bytes: Buffer, message: ReadMessage): void {
    if (bytes.length < minBytes || message.raw.type !== 'catalogue') return
    // The bytes are part of a larger buffer: copy them.
    this.#kept.unshift({ bytes: Buffer.from(bytes), message })
    for (let total = 0, i = 0; i < this.#kept.length; i++) {
      total += (this.#kept[i] as Kept).bytes.length
      if (total > maxBytes) this.#kept.length = i
    }
  }
}
