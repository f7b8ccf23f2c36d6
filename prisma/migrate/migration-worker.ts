import { parentPort, workerData } from 'node:worker_threads'
import { PrismaPg } from '@prisma/adapter-pg'
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils'
import pg from 'pg'
import type { Connection } from '../client/client.js'
import { DatabaseError } from '../client/errors.js'
import type { DatabaseErrorCode } from '../client/errors.js'
import { readMigrations } from './migration-files.js'
import { filters, openSchemaEngine } from './schema-engine.js'
import type { MigrationList, SchemaEngine } from './schema-engine.js'
import { withCompleteScripts } from '../client/complete-scripts.js'

export interface MigrationOrder {
  readonly connection: Connection
  readonly directory: string
}

export type MigrationNews =
  | { readonly said: string }
  | { readonly applied: readonly string[] }
  /** Without a code it is the engine's own failure. */
  | { readonly failed: string; readonly code: DatabaseErrorCode | undefined }

const port = parentPort as NonNullable<typeof parentPort>
const post = (news: MigrationNews) => port.postMessage(news)

async function apply({ connection, directory }: MigrationOrder): Promise<readonly string[]> {
  const migrationsList = await readMigrations(directory)
  const client = new pg.Client({ ...connection })
  client.on('error', () => {}) // the query in progress fails with it
  await client.connect()
  const factory = new PrismaPg(poolOf(client))
  const plain = factory.connect.bind(factory)
  const connect = async () => withSavepoints(withCompleteScripts(await plain()))
  const engine = await openSchemaEngine(Object.assign(factory, { connect }), (said) => post({ said }))
  try {
    await refuseForeignHistory(engine, migrationsList)
    return await inTransaction(
      client,
      async () => (await engine.applyMigrations({ migrationsList, filters })).appliedMigrationNames,
    )
  } finally {
    engine.free()
    await client.end().catch(() => {})
  }
}

/** Returns a pool for the adapter that has this connection alone: a pool closes a connection on which a query fails. */
function poolOf(client: pg.Client): pg.Pool {
  return Object.assign(new pg.Pool(), { query: client.query.bind(client) })
}

/** Commits all of the work, or leaves the database as it was. */
async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback').catch(() => {}) // a connection that ended has rolled back
    throw error
  }
}

/** After a script that fails, the engine can still write down the reason, which it then reports. */
function withSavepoints(adapter: SqlDriverAdapter): SqlDriverAdapter {
  const run = adapter.executeScript.bind(adapter)
  return Object.assign(adapter, {
    async executeScript(script: string) {
      await run('savepoint script')
      try {
        await run(script)
      } catch (error) {
        await run('rollback to savepoint script')
        throw error
      }
      await run('release savepoint script')
    },
  })
}

async function refuseForeignHistory(engine: SchemaEngine, migrationsList: MigrationList): Promise<void> {
  const state = await engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters })
  if (state.failedMigrationNames.length > 0)
    throw new DatabaseError(
      'migration',
      `A migration failed earlier (${state.failedMigrationNames.join(', ')}). Restore a backup that was made before it, or repair the schema by hand and delete the row of this migration in _prisma_migrations.`,
    )
  if (state.history && state.history.diagnostic !== 'databaseIsBehind')
    throw new DatabaseError(
      'newer',
      `The database is newer than this release of Roost (it has the migrations ${state.history.unpersistedMigrationNames.join(', ')}). Start the release that last used it, or a later one.`,
    )
  if (state.editedMigrationNames.length > 0)
    throw new DatabaseError(
      'migration',
      `Migrations were changed after the database applied them (${state.editedMigrationNames.join(', ')}). Restore these files from the release.`,
    )
}

try {
  post({ applied: await apply(workerData as MigrationOrder) })
} catch (error) {
  const failed = error instanceof Error ? error.message : String(error)
  post({ failed, code: error instanceof DatabaseError ? error.code : undefined })
}
