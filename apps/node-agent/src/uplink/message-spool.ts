import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { listFolder } from './list-folder.js'
import { readManagedFile, removeManagedFile, writeManagedFile } from '../machine/managed-file.js'
import { type Clock, type Log, SerialQueue } from '@roost/runtime'

/** A message that stays until the control plane has it. */
export interface SpooledMessage {
  readonly sequence: number
  readonly kind: string
  /** Held here alone when the state directory could not take it. */
  readonly unsaved: string | Uint8Array | null
  readonly sizeBytes: number
}

export interface MessageSpoolOptions {
  readonly dir: string
  /** The most that all messages use; history is dropped beyond it, and nothing else. */
  readonly maxBytes: number
  readonly clock: Clock
  readonly log: Log
}

const highWaterFile = 'last-sequence'
const messageFile = /^(\d{16})-([a-z0-9_]+)\.(json|bin)$/

/** How the kinds of history begin: binary messages, which are lost before any other, oldest first. */
export const historyKind = 'history'
const isHistory = ({ kind }: SpooledMessage): boolean => kind.startsWith(historyKind)
/** History in memory while the disk takes none: hours of it, and not those of a week. */
const mostUnsavedHistoryBytes = 1 << 20

/**
 * Messages that must not be lost: a file each, whole or not there, until the acknowledgement. Their numbers rise over
 * restarts, reinstalls and clocks that were set back: the control plane takes a lower one for a repetition.
 */
export class MessageSpool {
  readonly #options: MessageSpoolOptions
  readonly #messages = new Map<number, SpooledMessage>()
  #lastSequence: number
  #reservedBytes = 0
  readonly #queue = new SerialQueue()

  private constructor(options: MessageSpoolOptions, lastSequence: number) {
    this.#options = options
    this.#lastSequence = lastSequence
  }

  static async open(options: MessageSpoolOptions): Promise<MessageSpool> {
    const saved = await readManagedFile(join(options.dir, highWaterFile))
    const spool = new MessageSpool(options, Number(saved?.toString() ?? 0) || 0)
    for (const name of await listFolder(options.dir)) await spool.#adopt(name)
    return spool
  }

  /** Returns the messages, oldest first. */
  pending(): readonly SpooledMessage[] {
    return [...this.#messages.values()]
  }

  /** Sets how much of `maxBytes` other files use. */
  reserve(bytes: number): void {
    this.#reservedBytes = bytes
  }

  /** Returns false once the message was acknowledged or replaced. */
  has(sequence: number): boolean {
    return this.#messages.has(sequence)
  }

  /** Says whether the number is that of a message of history. */
  isHistory(sequence: number): boolean {
    const message = this.#messages.get(sequence)
    return message !== undefined && isHistory(message)
  }

  /** The bytes of all messages but history, which gives way to them. */
  get sizeBytes(): number {
    return sizeOf(this.pending().filter((message) => !isHistory(message)))
  }

  /**
   * Keeps a message; with `supersede` it replaces those of its kind that still wait. A full disk does not stop it: the
   * message is then kept in memory, and the log says so.
   */
  add(kind: string, build: (sequence: number) => object | Uint8Array, supersede = false): Promise<SpooledMessage> {
    return this.#queue.run(async () => {
      this.#lastSequence = Math.max(this.#lastSequence + 1, Math.floor(this.#options.clock.now()))
      const sequence = this.#lastSequence
      const waiting = supersede ? this.pending().filter((message) => message.kind === kind) : []
      const built = build(sequence)
      const data = built instanceof Uint8Array ? built : JSON.stringify(built)
      const sizeBytes = Buffer.byteLength(data)
      await this.#makeRoom(sizeBytes)
      const message = {
        sequence,
        kind,
        sizeBytes,
        unsaved: await this.#save(sequence, kind, data),
      }
      // The old file stays until its replacement is on the disk, which is sent only after the old one is removed: a
      // crash must not bring the older one back after the newer one was acknowledged.
      const replaced = message.unsaved === null ? waiting : waiting.filter((old) => old.unsaved !== null)
      for (const old of replaced) await this.#forget(old)
      this.#messages.set(sequence, message)
      await this.#boundMemory()
      return message
    })
  }

  /** Reads the text of a message; undefined when it was acknowledged meanwhile. */
  async read(message: SpooledMessage): Promise<string | undefined> {
    return (await this.readBytes(message))?.toString()
  }

  /** Reads the bytes of a message; undefined when it was acknowledged or dropped meanwhile. */
  async readBytes(message: SpooledMessage): Promise<Buffer | undefined> {
    const { unsaved } = message
    if (unsaved !== null) return typeof unsaved === 'string' ? Buffer.from(unsaved) : Buffer.from(unsaved)
    return readManagedFile(this.#path(message.sequence, message.kind))
  }

  /** Removes a message that the control plane has. */
  async acknowledge(sequence: number): Promise<void> {
    const message = this.#messages.get(sequence)
    if (message !== undefined) await this.#queue.run(() => this.#forget(message))
  }

  /** Resolves when everything that was asked for so far is on the disk. */
  async settled(): Promise<void> {
    await this.#queue.settled()
  }

  /** Drops history, oldest first, until so many bytes fit. */
  async #makeRoom(bytes: number): Promise<void> {
    const history = this.pending().filter(isHistory)
    let used = this.#reservedBytes + sizeOf(this.pending()) + bytes
    for (const message of history) {
      if (used <= this.#options.maxBytes) return
      used -= message.sizeBytes
      await this.#forget(message)
    }
  }

  /** Drops the oldest history that is in memory only. */
  async #boundMemory(): Promise<void> {
    const unsaved = this.pending().filter((message) => message.unsaved !== null && isHistory(message))
    let used = sizeOf(unsaved)
    for (const message of unsaved) {
      if (used <= mostUnsavedHistoryBytes) return
      used -= message.sizeBytes
      await this.#forget(message)
    }
  }

  /** Saves a message. Returns its content where that failed, else null. */
  async #save<T extends string | Uint8Array>(sequence: number, kind: string, data: T): Promise<T | null> {
    try {
      await mkdir(this.#options.dir, { recursive: true, mode: 0o700 })
      await writeManagedFile(join(this.#options.dir, highWaterFile), `${sequence}\n`)
      await writeManagedFile(this.#path(sequence, kind), data)
      return null
    } catch (error) {
      this.#options.log.error(
        'could not save an undelivered message, which is now in memory only: check the free space and permissions of the data directory',
        {
          error,
          kind,
        },
      )
      return data
    }
  }

  async #forget(message: SpooledMessage): Promise<void> {
    this.#messages.delete(message.sequence)
    if (message.unsaved !== null) return
    await removeManagedFile(this.#path(message.sequence, message.kind)).catch((error: unknown) =>
      this.#options.log.warn('could not remove an acknowledged message, which will be sent again', { error }),
    )
  }

  async #adopt(name: string): Promise<void> {
    const path = join(this.#options.dir, name)
    const match = messageFile.exec(name)
    if (match === null) {
      // A killed writer left this file.
      if (name.endsWith('.new')) await rm(path, { force: true })
      return
    }
    const file = await stat(path)
    if (!file.isFile()) return
    const sequence = Number(match[1])
    this.#messages.set(sequence, { sequence, kind: match[2] as string, sizeBytes: file.size, unsaved: null })
    this.#lastSequence = Math.max(this.#lastSequence, sequence)
  }

  #path(sequence: number, kind: string): string {
    return join(
      this.#options.dir,
      `${String(sequence).padStart(16, '0')}-${kind}.${kind.startsWith(historyKind) ? 'bin' : 'json'}`,
    )
  }
}

const sizeOf = (messages: readonly SpooledMessage[]): number =>
  messages.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
