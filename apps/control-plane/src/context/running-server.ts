import type { DatabaseLock } from '../database/database.js'
import type { Context } from './context.js'

export interface RunningServer {
  /** The URL for this machine. */
  readonly localUrl: string
  /** The URL for people and nodes. */
  readonly publicUrl: string
  readonly caPath: string | null
  /** The version of the database server. */
  readonly postgresVersion: string
  readonly context: Context
  /** Resolves with the reason once another control plane got the database; otherwise never. */
  readonly databaseLost: DatabaseLock['lost']
  /** Ends everything that was started, in reverse order. */
  close(): Promise<void>
}
