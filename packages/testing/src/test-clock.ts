import type { Clock } from '@roost/runtime'

/** Time that a test moves, and with it what was to happen meanwhile. */
export class TestClock implements Clock {
  #now: number
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>()

  /** `startMs`: Unix milliseconds; the monotonic clock is the same. */
  constructor(startMs = 0) {
    this.#now = startMs
  }

  now = (): number => this.#now
  monotonic = (): number => this.#now
  after = (delayMs: number, callback: () => void): (() => void) => {
    const timer = { at: this.#now + delayMs, callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  async pass(ms: number): Promise<void> {
    for (const end = this.#now + ms; ;) {
      const next = [...this.#timers].toSorted((a, b) => a.at - b.at)[0]
      if (next === undefined || next.at > end) {
        this.#now = end
        return
      }
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.callback()
      // What begins by it is over before time goes on.
      for (let i = 0; i < 20; i++) await Promise.resolve()
    }
  }
}
