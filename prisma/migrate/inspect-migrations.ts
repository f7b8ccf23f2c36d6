import { readdir } from 'node:fs/promises'
import pg from 'pg'
import { connectError } from '../client/connect-error.js'
import type { Connection } from '../client/client.js'
import { migrationsDir } from './migration-files.js'

/** The difference between the migrations of a database and those of this release, by name. */
export interface MigrationState {
  /** The next start of Roost applies these. */
  readonly pending: readonly string[]
  /** A later release applied these: this one refuses the database. */
  readonly unknown: readonly string[]
}

/** Reads the migrations of a database and changes nothing. Throws DatabaseError where it cannot be reached. */
export async function inspectMigrations(connection: Connection): Promise<MigrationState> {
  const client = new pg.Client({ ...connection, application_name: 'roost doctor', connectionTimeoutMillis: 5_000 })
  client.on('error', () => {}) // the query in progress fails with it
  await client.connect().catch((error: unknown) => {
    throw connectError(connection, error)
  })
  try {
    const applied = await appliedMigrations(client)
    const entries = await readdir(migrationsDir, { withFileTypes: true })
    const ours = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    return {
      pending: ours.filter((name) => !applied.includes(name)).toSorted(),
      unknown: applied.filter((name) => !ours.includes(name)).toSorted(),
    }
  } finally {
    await client.end().catch(() => {})
  }
}

/** A database that Roost has never used has no such table. */
async function appliedMigrations(client: pg.Client): Promise<readonly string[]> {
  const table = await client.query<{ readonly name: string | null }>(`select to_regclass('_prisma_migrations') as name`)
  if (table.rows[0]?.name === null) return []
  const { rows } = await client.query<{ readonly migration_name: string }>(
    'select migration_name from _prisma_migrations where finished_at is not null',
  )
  return rows.map(({ migration_name: name }) => name)
}
