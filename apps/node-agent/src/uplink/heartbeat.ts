import type { Clock } from '@roost/runtime'

export interface HeartbeatOptions {
  readonly clock: Clock
  readonly random: () => number
  readonly ping: (id: number) => void
  /** The other side has not answered in time: the connection is to be thrown away. */
  readonly dead: () => void
}

const shortestAnswerMs = 2000
const longestAnswerMs = 30_000

/**
 * Asks the other side, at the server's interval ± 20 %, whether it still hears us. Only the answer counts: bytes that
 * merely arrive say nothing about the way back, and TCP says nothing about either for many minutes. With the usual 15 s a
 * silent link is seen after 28 s at most, so that with a spread of 30 s a node has dialled again within 60 s.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions
  #intervalMs: number
  #lastId = 0
  #cancelPing: () => void = () => {}
  #cancelDeadline: (() => void) | null = null
  #stopped = false

  constructor(options: HeartbeatOptions, intervalMs: number) {
    this.#options = options
    this.#intervalMs = intervalMs
    this.#arm()
  }

  /** Sets the interval from now on. */
  setInterval(intervalMs: number): void {
    if (intervalMs === this.#intervalMs || this.#stopped) return
    this.#intervalMs = intervalMs
    this.#arm()
  }

  answered(id: number): void {
    if (id !== this.#lastId) return
    this.#cancelDeadline?.()
    this.#cancelDeadline = null
  }

  stop(): void {
    this.#stopped = true
    this.#cancelPing()
    this.#cancelDeadline?.()
  }

  #arm(): void {
    this.#cancelPing()
    const delayMs = this.#intervalMs * (0.8 + 0.4 * this.#options.random())
    this.#cancelPing = this.#options.clock.after(delayMs, () => this.#beat())
  }

  #beat(): void {
    // An earlier question is still open, and its deadline runs.
    if (this.#cancelDeadline === null) {
      this.#lastId += 1
      this.#options.ping(this.#lastId)
      this.#cancelDeadline = this.#options.clock.after(this.#answerMs(), () => {
        this.stop()
        this.#options.dead()
      })
    }
    this.#arm()
  }

  #answerMs(): number {
    return Math.min(longestAnswerMs, Math.max(shortestAnswerMs, (this.#intervalMs * 2) / 3))
  }
}
