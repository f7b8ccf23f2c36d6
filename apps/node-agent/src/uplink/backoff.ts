import { closeCodes } from '@roost/api-types/agent'
import { type BackoffLimits, backoffMs } from '@roost/runtime'

/** How a session, or an attempt to open one, ended. */
export interface SessionEnd {
  /** The close code of the stream; null when it broke, or never came up. */
  readonly code: number | null
  /** The message for an operator. */
  readonly message: string
  /** The wait that the server asked for. */
  readonly retryAfterMs: number | null
  /** How long the session was in force; 0 when the hello was never accepted. */
  readonly stableMs: number
}

const stableAfterMs = 60_000
/** Under a minute, so that with the handshake and the first frame a node is back within 60 s of the server's restart. */
const steps: BackoffLimits = { firstMs: 1000, longestMs: 50_000 }
const slowStepMs = 300_000
const longestRetryAfterMs = 600_000

/**
 * When to dial again. After a session that held for a minute: at a random moment of the spread that the server set, so
 * that a fleet does not return in one instant. After anything less: 1, 2, 4 … 50 s, less up to half of it. Only a stable
 * session resets the steps, or a server that accepts and then refuses would be dialled without end.
 */
export class Backoff {
  readonly #random: () => number
  #failures = 0

  constructor(random: () => number) {
    this.#random = random
  }

  /** Milliseconds to wait after this end. */
  delay(end: SessionEnd, spreadMs: number): number {
    if (end.stableMs >= stableAfterMs) this.#failures = 0
    if (end.code === closeCodes.needsUpgrade) return this.#upTo(slowStepMs)
    if (end.retryAfterMs !== null) return this.#atLeast(Math.min(end.retryAfterMs, longestRetryAfterMs))
    if (end.stableMs >= stableAfterMs) return this.#random() * spreadMs
    this.#failures += 1
    return this.#upTo(backoffMs(this.#failures, steps))
  }

  #upTo(ms: number): number {
    return ms * (1 - this.#random() / 2)
  }

  #atLeast(ms: number): number {
    return ms * (1 + this.#random() / 10)
  }
}
