import type { Config } from '../config.js'
import { connectDatabase, queryRows, runningConnection, serverVersion } from './database.js'

export interface DatabaseDescription {
  readonly server: string
  readonly kind: 'embedded' | 'own'
  readonly bytes: number
  /** The migrations that the database has, in their order. */
  readonly migrations: readonly string[]
  /** The estimate of the planner for rows; the bytes contain indexes. */
  readonly tables: readonly { readonly name: string; readonly rows: number; readonly bytes: number }[]
}

/** Reads the schema and the sizes of the running database, and no row of it. */
export async function describeDatabase(config: Config): Promise<DatabaseDescription> {
  const database = connectDatabase(runningConnection(config))
  try {
    const [size] = await queryRows<{ bytes: string }>(database, 'select pg_database_size(current_database()) as bytes')
    const migrations = await queryRows<{ migration_name: string }>(
      database,
      'select migration_name from _prisma_migrations where finished_at is not null order by migration_name',
    )
    const tables = await queryRows<{ name: string; rows: number; bytes: string }>(
      database,
      `select relname as name, reltuples as rows, pg_total_relation_size(oid) as bytes from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace order by pg_total_relation_size(oid) desc, relname`,
    )
    return {
      server: await serverVersion(database),
      kind: config.databaseUrl === null ? 'embedded' : 'own',
      bytes: Number(size?.bytes),
      migrations: migrations.map(({ migration_name: name }) => name),
      tables: tables.map(({ name, rows, bytes }) => ({ name, rows, bytes: Number(bytes) })),
    }
  } finally {
    await database.close()
  }
}
