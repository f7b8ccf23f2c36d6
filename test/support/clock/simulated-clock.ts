import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises'

interface Timer {
  readonly atMs: number
  readonly callback: () => void
}

/** Requests of libuv that are pending; open sockets do not count. */
const underWay = /^(FSReq|GetAddrInfo|TCPConnectWrap|WriteWrap|ShutdownWrap|CloseReq)/

/** A clock for the agent that a test advances; sockets and files stay real. */
export class SimulatedClock {
  readonly #timers = new Set<Timer>()
  #monotonicMs = 0
  /** How far the wall clock is ahead of the monotonic one. */
  #wallOffsetMs: number

  constructor(startMs = Date.UTC(2026, 10, 20)) {
    this.#wallOffsetMs = startMs
  }

  now(): number {
    return this.#wallOffsetMs + this.#monotonicMs
  }

  monotonic(): number {
    return this.#monotonicMs
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#monotonicMs + Math.max(0, delayMs), callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Sets the wall clock, as NTP or an operator would; intervals are not affected. */
  jump(ms: number): void {
    this.#wallOffsetMs += ms
  }

  /** Advances the time: runs timers in order, and waits for sockets and files after each. */
  async advance(ms: number): Promise<void> {
    await this.#run(ms)
    await rest()
  }

  async #run(ms: number): Promise<void> {
    const endMs = this.#monotonicMs + ms
    for (let next = this.#nextUntil(endMs); next !== undefined; next = this.#nextUntil(endMs)) {
      this.#timers.delete(next)
      this.#monotonicMs = Math.max(this.#monotonicMs, next.atMs)
      next.callback()
      await settle()
    }
    this.#monotonicMs = endMs
  }

  /** Advances in steps until the condition is true, and returns the milliseconds that it took. */
  async advanceUntil(condition: () => boolean, limitMs: number, stepMs = 250): Promise<number> {
    const startMs = this.#monotonicMs
    await rest()
    while (!condition()) {
      if (this.#monotonicMs - startMs >= limitMs) throw new Error(`Not within ${limitMs} ms: ${condition.toString()}`)
      await this.#run(stepMs)
      await settle()
    }
    return this.#monotonicMs - startMs
  }

  #nextUntil(endMs: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers)
      if (timer.atMs <= endMs && (next === undefined || timer.atMs < next.atMs)) next = timer
    return next
  }
}

/** The kernel of a busy machine delivers bytes a little late: waits for them. */
async function rest(): Promise<void> {
  await settle()
  await sleep(5)
  await settle()
}

/** Resolves when nothing has been under way for several ticks of the event loop: enough for an answer over loopback. */
export async function settle(): Promise<void> {
  for (let quiet = 0; quiet < 8; quiet++) {
    await nextTick()
    if (process.getActiveResourcesInfo().some((name) => underWay.test(name))) quiet = 0
  }
}
