import type { Idempotency } from './idempotency.js'
import type { Origins } from './origins.js'

/** The parts of the server that the routes of resources use. */
export interface Dialect {
  readonly origins: Origins
  readonly idempotency: Idempotency
}
