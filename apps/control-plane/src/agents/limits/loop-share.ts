import type { Clock } from '@roost/runtime'

/** CPU time of agents' messages in one iteration of the event loop. Each request of a client waits for several iterations. */
const shareMs = 3
/** How many times as long as a message of an expensive node has taken, all of them wait. */
const expensiveWait = 3

/**
 * Shares the event loop between the messages of all agents and the requests of clients. All expensive nodes together have a quarter
 * of the time.
 */
export class LoopShare {
  readonly #clock: Pick<Clock, 'monotonic'>
  #usedMs = 0
  #expensiveAt = -Infinity

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  spend(cpuMs: number, isExpensive: boolean): void {
    if (this.#usedMs === 0) setImmediate(() => (this.#usedMs = 0))
    this.#usedMs += cpuMs
    if (isExpensive) this.#expensiveAt = this.#clock.monotonic() + cpuMs * expensiveWait
  }

  /** Milliseconds until the next message may be handled; 0: now. */
  wait(isExpensive: boolean): number {
    const waitMs = this.#usedMs < shareMs ? 0 : shareMs
    return isExpensive ? Math.max(waitMs, this.#expensiveAt - this.#clock.monotonic()) : waitMs
  }
}

/** Starts to measure what a message costs. Call the result, which is in milliseconds, when it is handled. */
export function measureCpu(isBinary: boolean): () => number {
  const begun = performance.now()
  const wallMs = () => performance.now() - begun
  // A frame takes less than the measurement.
  if (isBinary) return wallMs
  const cpuBegun = process.cpuUsage()
  return () => {
    // The clock also counts the work of other programs on a busy machine, and CPU time that of our other threads.
    const { user, system } = process.cpuUsage(cpuBegun)
    return Math.min(wallMs(), (user + system) / 1000)
  }
}
