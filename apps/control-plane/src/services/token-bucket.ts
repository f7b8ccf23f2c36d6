/** Limits a rate on average, with bursts. A window would refuse the messages that an agent sends at once after a reconnect. */
export class TokenBucket {
  readonly #perMs: number
  readonly #burst: number
  #left: number
  #at: number

  /** `at` is a monotonic time in milliseconds, as in `accept`. */
  constructor(perSecond: number, burst: number, at: number) {
    this.#perMs = perSecond / 1000
    this.#burst = burst
    this.#left = burst
    this.#at = at
  }

  accept(at: number): boolean {
    this.#left = Math.min(this.#burst, this.#left + (at - this.#at) * this.#perMs)
    this.#at = at
    if (this.#left < 1) return false
    this.#left -= 1
    return true
  }

  /** Returns how much of the burst is used at a time. */
  used(at: number): number {
    return this.#burst - Math.min(this.#burst, this.#left + (at - this.#at) * this.#perMs)
  }

  /** Takes an amount that is already used, and returns the milliseconds until the debt is paid: `maxDebtMs` at most. */
  spend(amount: number, at: number, maxDebtMs: number): number {
    this.#left = Math.min(this.#burst, this.#left + (at - this.#at) * this.#perMs)
    this.#at = at
    this.#left = Math.max(this.#left - amount, -maxDebtMs * this.#perMs)
    return this.#left < 0 ? -this.#left / this.#perMs : 0
  }
}
