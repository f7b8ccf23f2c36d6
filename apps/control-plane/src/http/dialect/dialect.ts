import type { Idempotency } from './idempotency.js'

/** The parts of the server that the routes of resources use. */
export interface Dialect {
  /** Returns the origin by which people know this server. Absolute URLs below it, or below the request's own, count as paths. */
  readonly publicUrl: () => string
  readonly idempotency: Idempotency
}
