import type { Config } from '../config.js'
import type { Connection } from '../database/database.js'
import type { Log } from '../lifecycle/log.js'

/** Everything that a context needs from outside; tests pass their own. */
export interface ContextOptions {
  readonly config: Pick<
    Config,
    | 'auditRetentionDays'
    | 'behindProxy'
    | 'dataDir'
    | 'deploymentTimeoutMs'
    | 'idempotencyRetentionHours'
    | 'jobRetentionDays'
    | 'listen'
    | 'usageRetentionDays'
  >
  readonly connection: Connection
  readonly log: Log
  /** Unix milliseconds. */
  readonly now: () => number
  /** How people and nodes reach this control plane, such as `https://roost.example:8443`; known once it listens. */
  readonly publicUrl: () => string
  /** PEM of the certificate authorities that agents are to trust from now on; empty where the system's do. */
  readonly trustedCas: () => readonly string[]
  /** SHA-256 (hex) of the public key of the authority that the server's certificate is from, for new agents to pin; null where the system's vouch. */
  readonly caSha256: () => string | null
}
