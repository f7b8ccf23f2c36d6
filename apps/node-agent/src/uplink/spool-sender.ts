import { type BackoffLimits, backoffMs, type Clock, type Log } from '@roost/runtime'
import { historyKind, type MessageSpool, type SpooledMessage } from './message-spool.js'

export interface SpoolSenderOptions {
  readonly clock: Clock
  readonly log: Log
  readonly messages: MessageSpool
  readonly maxMessageBytes: number
}

interface Target {
  /** Sends a text. Returns false when the socket is full. */
  send(text: string): boolean
}

interface Attempt {
  readonly count: number
  /** On the monotonic clock. */
  readonly nextAtMs: number
}

/** An answer that takes longer is not expected any more. */
const answerMs = 60_000
const retryLimits: BackoffLimits = { firstMs: 5000, longestMs: 60_000 }
const roomCheckMs = 1000
const newsKinds: ReadonlySet<string> = new Set(['mount_restored'])
const attemptsOfNews = 5

/** Sends the messages of the spool, except history, until they are acknowledged: again after a refusal, a time-out or a reconnect. */
export class SpoolSender {
  readonly #options: SpoolSenderOptions
  readonly #attempts = new Map<number, Attempt>()
  #target: Target | null = null
  #pumping = false
  #wanted = false
  #cancel: () => void = () => {}

  constructor(options: SpoolSenderOptions) {
    this.#options = options
  }

  open(target: Target): void {
    this.#target = target
    this.#attempts.clear()
    this.pump()
  }

  close(): void {
    this.#target = null
    this.#cancel()
  }

  async acknowledged(sequence: number): Promise<void> {
    this.#attempts.delete(sequence)
    await this.#options.messages.acknowledge(sequence)
  }

  /** Retries a refused message later. A message that a newer one has replaced is not sent again. */
  refused(sequence: number): void {
    if (!this.#options.messages.has(sequence)) return void this.#attempts.delete(sequence)
    const count = this.#attempts.get(sequence)?.count ?? 1
    if (count >= attemptsOfNews && this.#isNews(sequence)) return void this.acknowledged(sequence)
    const delayMs = backoffMs(count, retryLimits)
    this.#attempts.set(sequence, { count, nextAtMs: this.#options.clock.monotonic() + delayMs })
    this.#arm(delayMs)
  }

  /** Says whether the message is only informative, and may be outdated. */
  #isNews(sequence: number): boolean {
    return this.#options.messages
      .pending()
      .some((message) => message.sequence === sequence && newsKinds.has(message.kind))
  }

  /** Sends what is due. */
  pump(): void {
    this.#wanted = true
    if (!this.#pumping) void this.#pump()
  }

  async #pump(): Promise<void> {
    this.#pumping = true
    while (this.#wanted) {
      this.#wanted = false
      await this.#sendDue()
    }
    this.#pumping = false
  }

  async #sendDue(): Promise<void> {
    const target = this.#target
    if (target === null) return
    this.#forgetReplaced()
    for (const message of this.#options.messages.pending()) {
      if (message.kind.startsWith(historyKind)) continue
      const now = this.#options.clock.monotonic()
      if ((this.#attempts.get(message.sequence)?.nextAtMs ?? 0) > now) continue
      if (!(await this.#send(target, message))) return this.#arm(roomCheckMs)
    }
    this.#armNext()
  }

  /** Sends a message. Returns false when the socket is full. */
  async #send(target: Target, message: SpooledMessage): Promise<boolean> {
    const { clock, log, messages, maxMessageBytes } = this.#options
    const text = await messages.read(message).catch((error: unknown) => {
      log.error('could not read a saved message', { error, kind: message.kind })
      return undefined
    })
    if (text === undefined || this.#target !== target) return true
    if (message.sizeBytes > maxMessageBytes) {
      log.error('dropped a message, it is larger than the protocol allows', { ...message, unsaved: undefined })
      await messages.acknowledge(message.sequence)
      return true
    }
    if (!target.send(text)) return false
    const count = (this.#attempts.get(message.sequence)?.count ?? 0) + 1
    this.#attempts.set(message.sequence, { count, nextAtMs: clock.monotonic() + answerMs })
    return true
  }

  /** An attempt at a message that is no longer in the spool would stay overdue, and the timer would fire without end. */
  #forgetReplaced(): void {
    for (const sequence of this.#attempts.keys())
      if (!this.#options.messages.has(sequence)) this.#attempts.delete(sequence)
  }

  #armNext(): void {
    let next = Infinity
    for (const { nextAtMs } of this.#attempts.values()) next = Math.min(next, nextAtMs)
    if (Number.isFinite(next)) this.#arm(Math.max(0, next - this.#options.clock.monotonic()))
  }

  #arm(delayMs: number): void {
    this.#cancel()
    if (this.#target !== null) this.#cancel = this.#options.clock.after(delayMs, () => this.pump())
  }
}
