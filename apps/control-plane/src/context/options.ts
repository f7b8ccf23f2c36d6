import type { Config } from '../config.js'
import type { Connection, DatabaseOptions } from '../database/database.js'
import type { DatedCertificate } from '../tls/certificates.js'
import type { Log } from '../lifecycle/log.js'
import type { RefusedStarts } from '../self/refused-starts.js'

/** The inputs of a context; tests pass their own. */
export interface ContextOptions {
  readonly config: Pick<
    Config,
    | 'auditRetentionDays'
    | 'proxies'
    | 'backupCopy'
    | 'dataDir'
    | 'databaseUrl'
    | 'deploymentTimeoutMs'
    | 'idempotencyRetentionHours'
    | 'jobRetentionDays'
    | 'listen'
    | 'tls'
    | 'publicUrl'
    | 'usageRetentionDays'
    | 'history'
    | 'alertNetworks'
    | 'heartbeatUrl'
    | 'remoteWrite'
  >
  readonly database: DatabaseOptions & { readonly connection: Connection }
  readonly log: Log
  /** Unix milliseconds. */
  readonly now: () => number
  /** Returns the URL of this control plane, such as `https://roost.example:8443`; known once it listens. */
  readonly publicUrl: () => string
  /** Returns the PEM of the authorities that agents must trust; empty if they use the system's. */
  readonly trustedCas: () => readonly string[]
  /** The control planes that this one has kept off its database. */
  readonly refusedStarts: Pick<RefusedStarts, 'latest' | 'sinceMs'>
  /** Returns the certificates on which connections depend; none without TLS of our own. */
  readonly certificates: () => readonly DatedCertificate[]
  /** Whether Roost issued them, and renews them. */
  readonly areCertificatesOwn: () => boolean
  /** Returns the SHA-256 (hex) of the public key of the server's authority, for new agents to pin; null if they use the system's. */
  readonly caSha256: () => string | null
  /** Returns the PEM of the server's certificate; null without TLS of our own. */
  readonly certificate: () => string | null
  /** Returns the SHA-256 (base64) of the server's public key, as curl pins it; null without TLS of our own. */
  readonly serverPin: () => string | null
}
