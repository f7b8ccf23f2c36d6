import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { describeServer } from './client.js'
import type { Connection } from './client.js'
import { DatabaseError, reasonOf } from './errors.js'
import { filters, openSchemaEngine } from './schema-engine.js'
import type { MigrationList } from './schema-engine.js'
import { withWholeScripts } from './whole-scripts.js'

const migrationLock = 7_264_002
const lockTimeout = '120s'

/** The migrations of this release. */
export const migrationsDir = join(import.meta.dirname, '..', 'migrations')

/**
 * Brings the database to this program's schema and returns the names of what was applied. Of several processes that
 * start together one migrates and the others wait. Throws DatabaseError with a sentence that says what to do.
 */
export async function migrate(
  connection: Connection,
  log: (message: string) => void,
  directory: string = migrationsDir,
): Promise<readonly string[]> {
  const lock = new pg.Client({ ...connection, application_name: 'roost migrations', connectionTimeoutMillis: 10_000 })
  lock.on('error', () => {}) // the query in progress tells it
  await lock.connect().catch((error: unknown) => {
    throw new DatabaseError(
      'unreachable',
      `The database at ${describeServer(connection)} cannot be reached (${reasonOf(error)}): check DATABASE_URL and that PostgreSQL runs there.`,
      error,
    )
  })
  try {
    await lock.query(`set lock_timeout = '${lockTimeout}'`)
    await lock.query('select pg_advisory_lock($1)', [migrationLock])
    return await applyUnderLock(connection, log, directory)
  } catch (error) {
    throw error instanceof DatabaseError ? error : migrationError(describeServer(connection), error)
  } finally {
    await lock.end().catch(() => {})
  }
}

function migrationError(server: string, error: unknown): DatabaseError {
  // The engine adds where in its own source it failed.
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(/\n\s*0: /)
  const sentence = reason.includes('schema is not empty')
    ? `The database at ${server} holds tables that are not Roost's: give Roost a database of its own.`
    : `The database at ${server} could not be brought to the schema of this release: ${reason.replaceAll(/\s+/g, ' ')}`
  return new DatabaseError('migration', sentence, error)
}

async function applyUnderLock(
  connection: Connection,
  log: (message: string) => void,
  directory: string,
): Promise<readonly string[]> {
  const migrationsList = await readMigrations(directory)
  const pool = new pg.Pool({ ...connection, max: 2 }) // ours, because the engine never closes the adapter's
  pool.on('error', () => {})
  const factory = new PrismaPg(pool)
  const plain = factory.connect.bind(factory)
  const connect = async () => withWholeScripts(await plain())
  const engine = await openSchemaEngine(Object.assign(factory, { connect }), log)
  try {
    const state = await engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters })
    if (state.failedMigrationNames.length > 0)
      throw new DatabaseError(
        'migration',
        `A migration failed earlier (${state.failedMigrationNames.join(', ')}): restore the database from before it, or repair it by hand and delete its row in _prisma_migrations.`,
      )
    if (state.history && state.history.diagnostic !== 'databaseIsBehind')
      throw new DatabaseError(
        'newer',
        `The database is newer than this Roost (it has ${state.history.unpersistedMigrationNames.join(', ')}): start the release that last used it, or a later one.`,
      )
    if (state.editedMigrationNames.length > 0)
      throw new DatabaseError(
        'migration',
        `Migrations that the database has applied were changed since (${state.editedMigrationNames.join(', ')}): restore the files of the release.`,
      )
    return (await engine.applyMigrations({ migrationsList, filters })).appliedMigrationNames
  } finally {
    engine.free()
    await pool.end()
  }
}

export async function readMigrations(baseDir: string): Promise<MigrationList> {
  const entries = await readdir(baseDir, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return {
    baseDir,
    shadowDbInitScript: '',
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    migrationDirectories: await Promise.all(
      names.toSorted().map(async (path) => ({
        path,
        migrationFile: {
          path: 'migration.sql',
          content: { tag: 'ok' as const, value: await readFile(join(baseDir, path, 'migration.sql'), 'utf8') },
        },
      })),
    ),
  }
}
