import type { Clock } from './clock.js'

interface Try {
  readonly waitMs: number
  readonly againAtMs: number
  readonly fault: string
}

const firstWaitMs = 2_000
const longestWaitMs = 30_000

/** What failed is tried again after 2 s, then after twice as long each time, up to half a minute. */
export class Tries {
  readonly #clock: Clock
  readonly #failed = new Map<string, Try>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Does it unless it is too early. Answers a fault that is another one than before. */
  async run(name: string, work: () => Promise<void>): Promise<string | undefined> {
    const before = this.#failed.get(name)
    if (before !== undefined && this.#clock.monotonic() < before.againAtMs) return undefined
    try {
      await work()
      this.#failed.delete(name)
      return undefined
    } catch (error) {
      const waitMs = Math.min(longestWaitMs, before === undefined ? firstWaitMs : 2 * before.waitMs)
      const fault = error instanceof Error ? error.message : String(error)
      this.#failed.set(name, { waitMs, againAtMs: this.#clock.monotonic() + waitMs, fault })
      return fault === before?.fault ? undefined : fault
    }
  }

  /** Why it failed last; undefined once it has not. */
  fault(name: string): string | undefined {
    return this.#failed.get(name)?.fault
  }
}
