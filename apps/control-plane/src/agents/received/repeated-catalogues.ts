import type { RawMessage } from './raw-message.js'

interface Kept {
  readonly bytes: Buffer
  readonly said: RawMessage
  /** What the check made of it. */
  checked?: unknown
}

/** Of all that is kept; read it takes four times as much. */
const mostBytes = 1 << 20
/** What is smaller is read as quickly as it is found. */
const leastBytes = 4096

/**
 * A fleet that reconnects sends the same catalogue a thousand times: the same bytes, since agents number a catalogue by its
 * content. It is parsed and checked once, and all nodes share the result.
 */
export class RepeatedCatalogues {
  /** The one that was heard last comes first. */
  readonly #kept: Kept[] = []

  /** The message of the same bytes, as it was read then. */
  find(bytes: Buffer): RawMessage | undefined {
    if (bytes.length < leastBytes) return undefined
    const at = this.#kept.findIndex((kept) => kept.bytes.equals(bytes))
    const [found] = at === -1 ? [] : this.#kept.splice(at, 1)
    if (!found) return undefined
    this.#kept.unshift(found)
    return found.said
  }

  keep(bytes: Buffer, said: RawMessage): void {
    if (bytes.length < leastBytes || said.type !== 'catalogue') return
    // A copy: the bytes are a part of what came in at once.
    this.#kept.unshift({ bytes: Buffer.from(bytes), said })
    for (let held = 0, i = 0; i < this.#kept.length; i++) {
      held += (this.#kept[i] as Kept).bytes.length
      if (held > mostBytes) this.#kept.length = i
    }
  }

  /** The result of `check`, which runs only once for a message that is kept. */
  checked<T>(said: RawMessage, check: () => T): T {
    const kept = this.#kept.find((one) => one.said === said)
    if (!kept) return check()
    return (kept.checked ??= check()) as T
  }
}
