import { type BackoffLimits, backoffMs } from './backoff.js'
import type { Clock } from './clock.js'
import { errorText } from './text/error-text.js'

interface Attempt {
  readonly failures: number
  readonly retryAtMs: number
  readonly fault: string
}

const limits: BackoffLimits = { firstMs: 2_000, longestMs: 30_000 }

/** Runs work by name, and after a failure again only after 2 s, then twice as long each time, up to half a minute. */
export class RetrySchedule {
  readonly #clock: Clock
  readonly #failed = new Map<string, Attempt>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Runs the work unless it is too early. Returns a fault that differs from the one before. */
  async run(name: string, work: () => Promise<void>): Promise<string | undefined> {
    const before = this.#failed.get(name)
    if (before !== undefined && this.#clock.monotonic() < before.retryAtMs) return undefined
    try {
      await work()
      this.#failed.delete(name)
      return undefined
    } catch (error) {
      const failures = (before?.failures ?? 0) + 1
      const fault = errorText(error)
      this.#failed.set(name, { failures, retryAtMs: this.#clock.monotonic() + backoffMs(failures, limits), fault })
      return fault === before?.fault ? undefined : fault
    }
  }

  /** Returns why the last attempt failed; undefined after a success. */
  fault(name: string): string | undefined {
    return this.#failed.get(name)?.fault
  }
}
