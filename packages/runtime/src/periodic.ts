import type { Clock } from './clock.js'

export interface PeriodicOptions {
  readonly clock: Clock
  /** From the beginning of one round to the next. */
  readonly intervalMs: () => number
  readonly work: () => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Runs work at once and then periodically, never twice at the same time. A failed run does not stop it. */
export class Periodic {
  readonly #options: PeriodicOptions
  #startedAtMs = 0
  #cancel: () => void = () => {}
  #round: Promise<void> | null = null
  /** Wanted sooner than the period says: on the monotonic clock. */
  #wantedAtMs = Infinity
  #stopped = false

  constructor(options: PeriodicOptions) {
    this.#options = options
    this.kick()
  }

  /** Does it once more, after a delay: what is asked for within the delay of the first call is one round. */
  kick(delayMs = 0): void {
    this.#wantedAtMs = Math.min(this.#wantedAtMs, this.#options.clock.monotonic() + delayMs)
    this.rearm()
  }

  /** The interval may have changed. */
  rearm(): void {
    if (this.#stopped || this.#round !== null) return
    this.#cancel()
    const { clock, intervalMs } = this.#options
    const atMs = Math.min(this.#wantedAtMs, this.#startedAtMs + intervalMs())
    this.#cancel = clock.after(Math.max(0, atMs - clock.monotonic()), () => {
      this.#round = this.#work()
    })
  }

  /** Resolves when the round that is under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#round
  }

  async #work(): Promise<void> {
    const { clock, work, onError } = this.#options
    this.#startedAtMs = clock.monotonic()
    this.#wantedAtMs = Infinity
    try {
      await work()
    } catch (error) {
      // What is cut short by the end is no fault.
      if (!this.#stopped) onError(error)
    } finally {
      this.#round = null
      this.rearm()
    }
  }
}
