/** Time as the control plane sees it: passed as an argument, so that a test can move it. */
export interface Clock {
  /** Unix milliseconds. May jump: for stamps and for what must outlive the process. */
  now(): number
  /** Milliseconds that never jump: for intervals and deadlines. */
  monotonic(): number
}

export const systemClock: Clock = { now: () => Date.now(), monotonic: () => performance.now() }
