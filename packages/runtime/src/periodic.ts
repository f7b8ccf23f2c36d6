import type { Clock } from './clock.js'

export interface PeriodicOptions {
  readonly clock: Clock
  /** Returns the time from the start of one run to the start of the next, unless `countFrom` is `end`. */
  readonly intervalMs: () => number
  readonly countFrom?: 'start' | 'end'
  /** The time to the first run; 0 by default. */
  readonly firstDelayMs?: number
  readonly work: () => Promise<void>
  readonly onError: (error: unknown) => void
}

/** Work that was started and goes on until it is stopped. */
export interface Stoppable {
  /** Resolves when the work in progress has ended. */
  stop(): Promise<void>
}

/** Runs work periodically, never twice at the same time. A failed run does not stop it. */
export class Periodic implements Stoppable {
  readonly #options: PeriodicOptions
  #countedFromMs: number
  #cancel: () => void = () => {}
  #run: Promise<void> | null = null
  /** The time of a run that was requested sooner than the interval, on the monotonic clock. */
  #requestedAtMs = Infinity
  #stopped = false

  constructor(options: PeriodicOptions) {
    this.#options = options
    this.#countedFromMs = options.clock.monotonic()
    this.kick(options.firstDelayMs)
  }

  /** Requests a run after a delay. Requests within the delay of the first one are one run. */
  kick(delayMs = 0): void {
    this.#requestedAtMs = Math.min(this.#requestedAtMs, this.#options.clock.monotonic() + delayMs)
    this.rearm()
  }

  /** Applies an interval that has changed. */
  rearm(): void {
    if (this.#stopped || this.#run !== null) return
    this.#cancel()
    const { clock, intervalMs } = this.#options
    const atMs = Math.min(this.#requestedAtMs, this.#countedFromMs + intervalMs())
    this.#cancel = clock.after(Math.max(0, atMs - clock.monotonic()), () => {
      this.#run = this.#work()
    })
  }

  /** Stops, and waits for the run in progress. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#cancel()
    await this.#run
  }

  async #work(): Promise<void> {
    const { clock, countFrom, work, onError } = this.#options
    this.#countedFromMs = clock.monotonic()
    this.#requestedAtMs = Infinity
    try {
      await work()
    } catch (error) {
      // A run that was interrupted by the stop has not failed.
      if (!this.#stopped) onError(error)
    } finally {
      if (countFrom === 'end') this.#countedFromMs = clock.monotonic()
      this.#run = null
      this.rearm()
    }
  }
}
