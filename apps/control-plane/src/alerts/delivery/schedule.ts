import { backoffMs } from '@roost/runtime'

/** What fires together is one message, also where it is found in two rounds of the health. */
const groupWaitMs = 30_000
/** Between two messages about the same code and cluster, unless an alert is critical. */
export const groupIntervalMs = 300_000
/** How long a message is sent again. */
export const lifetimeMs = 86_400_000
/** A longer attempt was interrupted by the end of the process. It is longer than every timeout. */
export const attemptMs = 120_000

const retries = { firstMs: 60_000, longestMs: 3_600_000 }

interface NewMessage {
  readonly nowMs: number
  /** When the message before it was delivered. */
  readonly lastDeliveredMs: number | undefined
  readonly isCritical: boolean
}

/** Returns when a message is sent first. */
export function firstAttemptMs({ nowMs, lastDeliveredMs, isCritical }: NewMessage): number {
  const soonestMs = nowMs + groupWaitMs
  if (isCritical || lastDeliveredMs === undefined) return soonestMs
  return Math.max(soonestMs, lastDeliveredMs + groupIntervalMs)
}

interface FailedMessage {
  readonly nowMs: number
  readonly attempts: number
  readonly expiresMs: number
}

/** Returns when a message is sent again; null: it is given up. */
export function nextAttemptMs({ nowMs, attempts, expiresMs }: FailedMessage): number | null {
  const nextMs = nowMs + backoffMs(attempts, retries)
  return nextMs > expiresMs ? null : nextMs
}
