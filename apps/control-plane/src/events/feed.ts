import type { ChangeEvent } from '@roost/api-types/rest'
import type { MetricService } from '@roost/api-types/rpc'
import type { Clock } from '@roost/runtime'
import { ChangeLog } from './change-log.js'
import { MetricReadings } from './metric-readings.js'
import type { MetricAsk } from './metric-readings.js'
import type { ChangeStore } from './store.js'

export interface FeedOptions {
  readonly store: Pick<ChangeStore, 'read'>
  readonly metrics: Pick<MetricService, 'pollNode' | 'pollCluster'>
  readonly clock: Pick<Clock, 'after' | 'monotonic'>
}

export interface Subscriber {
  readonly asks: readonly MetricAsk[]
  wake(this: void): void
}

const periodMs = 1_000
/** Reading goes on that long without subscribers, so that one that connects again has missed nothing. */
const lingerMs = 60_000
/** Stored changes are removed some time later. */
const silentMs = 60_000

/** Reads the stored changes once a second, and the metrics that are watched, for any number of subscribers. */
export class EventFeed {
  readonly log = new ChangeLog()
  readonly readings: MetricReadings
  readonly #options: FeedOptions
  readonly #subscribers = new Set<Subscriber>()
  readonly #published: ChangeEvent[] = []
  #next: bigint | undefined
  #readAtMs = 0
  #usedAtMs = 0
  /** Changes before the first read that succeeded are not known. */
  #isBlind = false
  #ready: Promise<void> | undefined
  #cancel: (() => void) | undefined

  constructor(options: FeedOptions) {
    this.#options = options
    this.readings = new MetricReadings(options.metrics)
  }

  get size(): number {
    return this.#subscribers.size
  }

  /** Resolves when changes from now on are known. */
  join(subscriber: Subscriber): Promise<void> {
    this.#subscribers.add(subscriber)
    this.#usedAtMs = this.#options.clock.monotonic()
    this.#ready ??= this.#poll()
    return this.#ready
  }

  leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber)
  }

  /** Adds what is stored in no table, such as a new verdict. */
  publish(changes: readonly ChangeEvent[]): void {
    if (this.#ready !== undefined) this.#published.push(...changes)
  }

  async stop(): Promise<void> {
    this.#subscribers.clear()
    this.#usedAtMs = -Infinity
    this.#cancel?.()
  }

  async #poll(): Promise<void> {
    const { clock } = this.#options
    const asks = [...this.#subscribers].flatMap((subscriber) => subscriber.asks)
    await Promise.all([this.#read(), this.readings.read(asks, clock.monotonic())])
    for (const { wake } of this.#subscribers) wake()
    if (this.#subscribers.size > 0) this.#usedAtMs = clock.monotonic()
    if (clock.monotonic() - this.#usedAtMs < lingerMs) this.#cancel = clock.after(periodMs, () => void this.#poll())
    else this.#forget()
  }

  async #read(): Promise<void> {
    const found = await this.#options.store.read(this.#next).catch(() => undefined)
    if (found === undefined) {
      this.#isBlind ||= this.#next === undefined
      return
    }
    const now = this.#options.clock.monotonic()
    if (this.#isBlind || (this.#next !== undefined && now - this.#readAtMs > silentMs)) this.log.interrupt()
    this.#isBlind = false
    this.#next = found.next
    this.#readAtMs = now
    this.log.add([...found.changes, ...this.#published.splice(0)], found.isIncomplete)
  }

  #forget(): void {
    this.#ready = undefined
    this.#next = undefined
    this.#published.length = 0
    this.log.interrupt()
  }
}
