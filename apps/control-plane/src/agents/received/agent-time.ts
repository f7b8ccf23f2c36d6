import { FrameError, readingToleranceSeconds } from '@roost/api-types/agent'
import type { Clock } from '@roost/runtime'

/** A smaller skew may be caused by the network: times are not corrected. */
const toleratedSkewSeconds = 5

/** The offset of the time in a metric frame, see `frame.ts` of the protocol. */
const timeOffset = 16

/**
 * The clock of an agent, compared with ours. It is measured against our monotonic clock, so that times stay right when our
 * wall clock is set; the agent's heartbeats measure it again, for the case that its own was set.
 */
export class AgentClock {
  readonly #clock: Clock
  /** Seconds that the agent's clock is ahead of our monotonic clock. */
  #offset: number

  /** `atMs`: our monotonic clock when the agent's time was received. */
  constructor(clock: Clock, agentTime: number, atMs: number) {
    this.#clock = clock
    this.#offset = agentTime - atMs / 1000
  }

  /** Seconds that the agent's clock is ahead of ours. */
  get skew(): number {
    return this.#offset - (this.#clock.now() - this.#clock.monotonic()) / 1000
  }

  /** Measures it again by a time that the agent has just sent. */
  measure(agentTime: number): void {
    this.#offset = agentTime - this.#clock.monotonic() / 1000
  }

  /** Converts the time of a reading to our clock, and never to the future: a value with a wrong time must not stay the newest one. */
  readingTime(agentTime: number): number {
    const time = this.#withoutSkew(agentTime)
    const now = this.#clock.now() / 1000
    // The clock has jumped since it was measured: the next hello measures it again.
    if (Math.abs(time - now) > readingToleranceSeconds) throw new FrameError('The clock of the node jumped. Reconnect.')
    return Math.min(time, now)
  }

  /** Converts the time of an event that a node may have kept for weeks. */
  pastTime(agentTime: number): number {
    return Math.min(this.#withoutSkew(agentTime), this.#clock.now() / 1000)
  }

  /** Corrects the time in the bytes of a frame. */
  convertFrameTime(bytes: Buffer): void {
    const agentTime = bytes.readDoubleLE(timeOffset)
    if (!Number.isFinite(agentTime)) throw new FrameError('A frame has no time.')
    const time = this.readingTime(agentTime)
    if (time !== agentTime) bytes.writeDoubleLE(time, timeOffset)
  }

  #withoutSkew(agentTime: number): number {
    const { skew } = this
    return Math.abs(skew) > toleratedSkewSeconds ? agentTime - skew : agentTime
  }
}
