/** Time as the programs see it: passed as an argument, so that a test can run a week in a second. */
export interface Clock {
  /** Unix milliseconds. May jump: for timestamps and for what must outlive the process. */
  now(): number
  /** Milliseconds that never jump: for intervals and deadlines. */
  monotonic(): number
  /** Calls back once after `delayMs`; the answer cancels it. */
  after(delayMs: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}
