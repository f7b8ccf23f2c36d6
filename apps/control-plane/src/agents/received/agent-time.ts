import { FrameError, readingToleranceSeconds } from '@roost/api-types/agent'
import type { Clock } from '@roost/runtime'

/** A smaller skew may be caused by the network: times are not corrected. */
const toleratedSkewSeconds = 5

/** The offset of the time in a metric frame, see `frame.ts` of the protocol. */
const timeOffset = 16

/**
 * Converts the time of a reading to our clock, and never to the future: a value with a wrong time must not stay the newest one.
 * `skew` is the time in seconds that the agent's clock is ahead of ours.
 */
export function readingTime(agentTime: number, skew: number, clock: Clock): number {
  const time = withoutSkew(agentTime, skew)
  const now = clock.now() / 1000
  // The clock has jumped since the hello: the next hello measures it again.
  if (Math.abs(time - now) > readingToleranceSeconds) throw new FrameError('The clock of the node jumped. Reconnect.')
  return Math.min(time, now)
}

/** Converts the time of an event that a node may have kept for weeks. */
export function pastTime(agentTime: number, skew: number, clock: Clock): number {
  return Math.min(withoutSkew(agentTime, skew), clock.now() / 1000)
}

/** Corrects the time in the bytes of a frame by the skew. */
export function convertFrameTime(bytes: Buffer, skew: number, clock: Clock): void {
  const agentTime = bytes.readDoubleLE(timeOffset)
  if (!Number.isFinite(agentTime)) throw new FrameError('A frame has no time.')
  const time = readingTime(agentTime, skew, clock)
  if (time !== agentTime) bytes.writeDoubleLE(time, timeOffset)
}

function withoutSkew(agentTime: number, skew: number): number {
  return Math.abs(skew) > toleratedSkewSeconds ? agentTime - skew : agentTime
}
