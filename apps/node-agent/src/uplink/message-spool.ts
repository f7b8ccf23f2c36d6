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
  readonly unsaved: string | null
  readonly sizeBytes: number
}

export interface MessageSpoolOptions {
  readonly dir: string
  readonly clock: Clock
  readonly log: Log
}

const highWaterFile = 'last-sequence'
const messageFile = /^(\d{16})-([a-z0-9_]+)\.json$/

/**
 * Messages that must not be lost: a file each, whole or not there, until the acknowledgement. Their numbers rise over
 * restarts, reinstalls and clocks that were set back: the control plane takes a lower one for a repetition.
 */
export class MessageSpool {
  readonly #options: MessageSpoolOptions
  readonly #messages = new Map<number, SpooledMessage>()
  #lastSequence: number
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

  /** Returns false once the message was acknowledged or replaced. */
  has(sequence: number): boolean {
    return this.#messages.has(sequence)
  }

  get sizeBytes(): number {
    return this.pending().reduce((sum, message) => sum + message.sizeBytes, 0)
  }

  /**
   * Keeps a message; with `supersede` it replaces those of its kind that still wait. A full disk does not stop it: the
   * message is then kept in memory, and the log says so.
   */
  add(kind: string, build: (sequence: number) => object, supersede = false): Promise<SpooledMessage> {
    return this.#queue.run(async () => {
      this.#lastSequence = Math.max(this.#lastSequence + 1, Math.floor(this.#options.clock.now()))
      const sequence = this.#lastSequence
      const waiting = supersede ? this.pending().filter((message) => message.kind === kind) : []
      const text = JSON.stringify(build(sequence))
      const message = {
        sequence,
        kind,
        sizeBytes: Buffer.byteLength(text),
        unsaved: await this.#save(sequence, kind, text),
      }
      // The old file stays until its replacement is on the disk, which is sent only after the old one is removed: a
      // crash must not bring the older one back after the newer one was acknowledged.
      const replaced = message.unsaved === null ? waiting : waiting.filter((old) => old.unsaved !== null)
      for (const old of replaced) await this.#forget(old)
      this.#messages.set(sequence, message)
      return message
    })
  }

  /** Reads the text of a message; undefined when it was acknowledged meanwhile. */
  async read(message: SpooledMessage): Promise<string | undefined> {
    if (message.unsaved !== null) return message.unsaved
    return (await readManagedFile(this.#path(message.sequence, message.kind)))?.toString()
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

  /** Saves a message. Returns its text where that failed, else null. */
  async #save(sequence: number, kind: string, text: string): Promise<string | null> {
    try {
      await mkdir(this.#options.dir, { recursive: true, mode: 0o700 })
      await writeManagedFile(join(this.#options.dir, highWaterFile), `${sequence}\n`)
      await writeManagedFile(this.#path(sequence, kind), text)
      return null
    } catch (error) {
      this.#options.log.error(
        'could not save an undelivered message, which is now in memory only: check the free space and permissions of the data directory',
        {
          error,
          kind,
        },
      )
      return text
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
    return join(this.#options.dir, `${String(sequence).padStart(16, '0')}-${kind}.json`)
  }
}
