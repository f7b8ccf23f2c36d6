import { backoffMs, type BackoffLimits, type Clock, type Log } from '@roost/runtime'
import type { HistoryLink } from '../uplink/outbox.js'
import type { SpooledMessage } from '../uplink/message-spool.js'
import { catalogueIn, type HistorySpool } from './history-spool.js'

export interface HistorySenderOptions {
  readonly clock: Clock
  readonly log: Log
  readonly spool: HistorySpool
}

/** Chunks without an answer: after an outage, the control plane's answers set the speed of a whole fleet. */
const mostUnanswered = 4
const answerMs = 60_000
const roomCheckMs = 1000
const retryLimits: BackoffLimits = { firstMs: 5000, longestMs: 60_000 }

/** Sends chunks until each is acknowledged, oldest first. */
export class HistorySender {
  readonly #options: HistorySenderOptions
  /** When the answer to each unanswered chunk is overdue, on the monotonic clock. */
  readonly #unanswered = new Map<number, number>()
  readonly #columnsSent = new Set<number>()
  #link: HistoryLink | null = null
  #refusals = 0
  #pausedUntilMs = 0
  #pumping: Promise<void> | null = null
  #wanted = false
  #cancel: () => void = () => {}

  constructor(options: HistorySenderOptions) {
    this.#options = options
  }

  /** Sends in a session; settings that come again in the same one change nothing. */
  open(link: HistoryLink): void {
    this.#link ??= link
    this.pump()
  }

  close(): void {
    this.#link = null
    this.#unanswered.clear()
    this.#columnsSent.clear()
    this.#pausedUntilMs = 0
    this.#cancel()
  }

  async acknowledged(sequence: number): Promise<void> {
    if (!this.#isChunk(sequence)) return
    this.#refusals = 0
    await this.#remove(sequence)
  }

  /** Returns false when the number is not that of a chunk. */
  refused(sequence: number, permanent: boolean): boolean {
    if (!this.#isChunk(sequence)) return false
    if (permanent) {
      this.#options.log.warn('dropped a part of the history of metrics that the control plane cannot read', {
        sequence,
      })
      void this.#remove(sequence)
      return true
    }
    this.#unanswered.delete(sequence)
    this.#refusals += 1
    this.#pausedUntilMs = this.#options.clock.monotonic() + backoffMs(this.#refusals, retryLimits)
    this.pump()
    return true
  }

  /** Sends what may be sent now. */
  pump(): void {
    this.#wanted = true
    this.#pumping ??= this.#pump()
  }

  async settled(): Promise<void> {
    await this.#pumping
  }

  #isChunk(sequence: number): boolean {
    return this.#options.spool.pending().some((message) => message.sequence === sequence)
  }

  async #remove(sequence: number): Promise<void> {
    await this.#options.spool.remove([sequence])
    this.#unanswered.delete(sequence)
    this.pump()
  }

  async #pump(): Promise<void> {
    try {
      while (this.#wanted) {
        this.#wanted = false
        await this.#sendDue()
      }
    } catch (error) {
      this.#options.log.error('could not send the history of metrics', { error })
      this.#arm(answerMs)
    } finally {
      this.#pumping = null
    }
  }

  async #sendDue(): Promise<void> {
    const now = this.#options.clock.monotonic()
    for (const [sequence, overdueMs] of this.#unanswered) if (overdueMs <= now) this.#unanswered.delete(sequence)
    if (this.#pausedUntilMs > now) return this.#arm(this.#pausedUntilMs - now)
    for (const message of this.#options.spool.pending()) {
      if (this.#link === null || this.#unanswered.size >= mostUnanswered) break
      if (this.#unanswered.has(message.sequence)) continue
      if (!(await this.#send(this.#link, message))) return this.#arm(roomCheckMs)
    }
    const next = Math.min(...this.#unanswered.values())
    if (Number.isFinite(next)) this.#arm(Math.max(0, next - this.#options.clock.monotonic()))
  }

  /** Sends a chunk, after its columns. Returns false when the socket is full. */
  async #send(link: HistoryLink, message: SpooledMessage): Promise<boolean> {
    const { clock, log, spool } = this.#options
    const [bytes, columns] = [await spool.read(message), await this.#columnsToSend(link, message)]
    if (this.#link !== link || bytes === undefined) return true
    if (columns === undefined) {
      log.warn('dropped a part of the history of metrics whose names are lost', { sequence: message.sequence })
      await spool.remove([message.sequence])
      return true
    }
    if (columns !== null && !link.send(columns)) return false
    this.#columnsSent.add(catalogueIn(message.kind))
    if (!link.send(bytes)) return false
    this.#unanswered.set(message.sequence, clock.monotonic() + answerMs)
    return true
  }

  /** The names that must go before this chunk; null if this session has them. */
  async #columnsToSend(link: HistoryLink, message: SpooledMessage): Promise<string | null | undefined> {
    const id = catalogueIn(message.kind)
    return this.#columnsSent.has(id) || link.knows(id) ? null : this.#options.spool.columns(message)
  }

  #arm(delayMs: number): void {
    this.#cancel()
    if (this.#link !== null) this.#cancel = this.#options.clock.after(delayMs, () => this.pump())
  }
}
