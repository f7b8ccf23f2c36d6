import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, type Log, SerialQueue } from '@roost/runtime'
import type { Reading } from '../collectors/engine/reading.js'
import type { Catalogue } from '../uplink/catalogue.js'
import type { MessageSpool } from '../uplink/message-spool.js'
import type { HistoryLink, HistoryOutlet } from '../uplink/outbox.js'
import type { Pace } from '../uplink/pace.js'
import { mantissaOf } from './chunks.js'
import { HistorySender } from './history-sender.js'
import { HistorySpool } from './history-spool.js'
import { phaseOf, Window } from './window.js'

export interface HistoryOptions {
  /** The folder of the spool. */
  readonly dir: string
  readonly node: string
  readonly messages: MessageSpool
  /** Absent in the pace: nothing is recorded. */
  readonly pace: () => Pace
  readonly clock: Clock
  readonly log: Log
}

/** Records all metrics in windows, and keeps each until the control plane has it. */
export class History implements HistoryOutlet {
  readonly #options: HistoryOptions
  readonly #spool: HistorySpool
  readonly #sender: HistorySender
  readonly #window = new Window()
  readonly #queue = new SerialQueue()

  private constructor(options: HistoryOptions, spool: HistorySpool) {
    this.#options = options
    this.#spool = spool
    this.#sender = new HistorySender({ ...options, spool })
  }

  static async open(options: HistoryOptions): Promise<History> {
    // Versions before 0.2.0 kept readings here, which were never asked for.
    await rm(join(options.dir, 'frames'), { recursive: true, force: true })
    const spool = await HistorySpool.open({ ...options, dir: join(options.dir, 'history') })
    return new History(options, spool)
  }

  record(catalogue: Catalogue, reading: Reading): void {
    const settings = this.#options.pace().history
    if (settings === null) return
    const phaseMs = phaseOf(this.#options.node, settings.windowMs)
    const full = this.#window.add(catalogue, reading, { ...settings, phaseMs })
    if (full !== null) this.#keep(full, settings.mantissa)
  }

  open(link: HistoryLink): void {
    if (this.#options.pace().history !== null) return this.#sender.open(link)
    this.#sender.close()
    void this.#queue.run(() => this.#forget())
  }

  close(): void {
    this.#sender.close()
  }

  acknowledged(sequence: number): Promise<void> {
    return this.#sender.acknowledged(sequence)
  }

  refused(sequence: number, permanent: boolean): boolean {
    return this.#sender.refused(sequence, permanent)
  }

  /** Keeps the window that has begun, and waits until all is on the disk. */
  async stop(): Promise<void> {
    const settings = this.#options.pace().history
    const rest = this.#window.end()
    if (rest !== null && settings !== null) this.#keep(rest, settings.mantissa)
    await this.#queue.settled()
    await this.#sender.settled()
  }

  #keep(window: ReturnType<Window['end']> & object, bits: number): void {
    void this.#queue
      .run(() => this.#spool.add(window, mantissaOf(bits)))
      .then(() => this.#sender.pump())
      .catch((error: unknown) => this.#options.log.error('could not keep a window of history', { error }))
  }

  /** Removes what waits: the control plane wants no history. */
  async #forget(): Promise<void> {
    this.#window.end()
    await this.#spool.remove(this.#spool.pending().map(({ sequence }) => sequence))
  }
}
