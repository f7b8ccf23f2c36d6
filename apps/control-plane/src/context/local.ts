import { createIdempotencyStore } from '../database/idempotency.js'
import { createWrites } from '../database/writes.js'
import { createAuditStore } from '../database/transaction.js'
import type { Config } from '../config.js'
import { connectDatabase, openServer, runningConnection, startDatabase } from '../database/database.js'
import type { Connection, Database } from '../database/database.js'
import { claimDataDir, readInstance } from '../lifecycle/instance.js'
import type { Log } from '../lifecycle/log.js'
import { createOperators } from '../operators/feature.js'
import { buildPreferences } from './operators.js'
import type { OperatorFeature } from '../operators/feature.js'

/** Uses the database with its current schema, whether the control plane runs or not. */
export async function withRunningDatabase<T>(
  config: Config,
  log: Log,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  if (await readInstance(config.dataDir)) return use(runningConnection(config))
  return withStoppedDatabase(config, log, use)
}

/** Uses the database while the control plane is stopped. Throws StartError if it runs. */
export async function withStoppedDatabase<T>(
  config: Config,
  log: Log,
  use: (connection: Connection) => Promise<T>,
  open: typeof openServer = openServer,
): Promise<T> {
  const instance = await claimDataDir(config.dataDir)
  try {
    const server = await open(config, log)
    try {
      return await use(server.connection)
    } finally {
      await server.stop()
    }
  } finally {
    await instance.release()
  }
}

/** Uses the database with the schema of this release, which services need. */
export async function withDatabase<T>(
  config: Config,
  log: Log,
  use: (database: Database) => Promise<T>,
  options: { readonly whileRunning: boolean },
): Promise<T> {
  const connected = async (connection: Connection) => {
    const database = connectDatabase(connection)
    try {
      return await use(database)
    } finally {
      await database.close()
    }
  }
  if (options.whileRunning && (await readInstance(config.dataDir))) return connected(runningConnection(config))
  return withStoppedDatabase(config, log, connected, startDatabase)
}

/** Builds the services of operators and keys without the rest of the control plane. */
export function buildAccess(database: Database, log: Log): OperatorFeature['access'] {
  const idempotency = createIdempotencyStore(database, Date.now)
  const writes = createWrites({ store: createAuditStore(database), idempotency })
  const preferences = buildPreferences(database, writes)
  return createOperators({ database, writes, preferences, log, now: Date.now }).access
}
