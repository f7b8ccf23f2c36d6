import { createHash, randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { describeServer } from '../client/client.js'
import type { Connection } from '../client/client.js'
import { connectAs, tablesInOrder } from './dump.js'
import { createPartitionSql, isPartition } from './history.js'
import type { HistoryPartition } from './history.js'
import { adaptHistory, isKept, putHistoryBack, setHistoryAside } from './kept-history.js'
import type { KeptHistory } from './kept-history.js'
import { DatabaseError, reasonOf } from '../client/errors.js'
import { migrate } from '../migrate/migrate.js'
import { migrationsDir } from '../migrate/migration-files.js'

/** What a dump holds, to be put back in the order in which it was read. */
export interface Restored {
  partition(partition: HistoryPartition): Promise<void>
  rows(table: string, texts: readonly string[]): Promise<void>
  sequence(name: string, last: string): Promise<void>
}

export interface RestoreOptions {
  /** The migrations that the dump's database had. */
  readonly migrations: readonly string[]
  /** Takes the place of what the database holds. */
  readonly force: boolean
  /** Leave the history of metrics that the database has; a dump that has one cannot be restored so. */
  readonly keepHistory: boolean
  readonly log: (message: string) => void
  readonly warn: (message: string) => void
}

/**
 * Makes the database what a dump says: its schema by the migrations that it had, then everything that `feed` hands over, in
 * one transaction. What fails, or is killed on the way, leaves what was there. Refuses (`in_use`) a database that holds
 * anything, unless `force`. Returns whether it has kept a history.
 */
export async function restoreDatabase(
  connection: Connection,
  { migrations, force, keepHistory, log, warn }: RestoreOptions,
  feed: (into: Restored) => Promise<void>,
): Promise<boolean> {
  await assertKnown(migrations)
  const client = await connectAs('roost restore', connection)
  try {
    if (!force && (await hasRows(client)))
      throw new DatabaseError(
        'in_use',
        `The database at ${describeServer(connection)} is not empty. Use --force to replace all of its content with the backup.`,
      )
    const isRoosts = await hasMigrations(client)
    if (!isRoosts) await migrateTo(connection, migrations, log)
    await client.query('begin')
    const kept = isRoosts && keepHistory ? await orDiffers(setHistoryAside(client)) : undefined
    const aside = new Set(kept?.partitions.map(({ name }) => name))
    if (isRoosts) await remake(client, migrations, aside)
    const tables = (await tablesInOrder(client)).filter((table) => !aside.has(table))
    await refill(client, tables, kept, feed)
    await client.query('commit')
    // The restore is done: an error now must not undo the files that belong to it.
    await client
      .query('analyze')
      .catch((error: unknown) =>
        warn(`could not analyze the restored database, which PostgreSQL does later: ${reasonOf(error)}`),
      )
    return kept !== undefined
  } finally {
    await client.end().catch(() => {})
  }
}

/** Replaces the rows of these tables by those of the dump, beside the history that is kept. */
async function refill(
  client: pg.Client,
  tables: readonly string[],
  kept: KeptHistory | undefined,
  feed: (into: Restored) => Promise<void>,
): Promise<void> {
  const names = tables.map((table) => client.escapeIdentifier(table))
  await client.query(`truncate ${names.join(', ')}`)
  // Counters that follow their tables are in the dump themselves.
  for (const name of names) await client.query(`alter table ${name} disable trigger user`)
  if (kept !== undefined) await orDiffers(putHistoryBack(client, kept))
  await feed(fillerOf(client, new Set(tables), kept))
  if (kept !== undefined) await orDiffers(adaptHistory(client, kept))
  for (const name of names) await client.query(`alter table ${name} enable trigger user`)
}

/** Throws `history_differs` where the history does not fit the tables. */
async function orDiffers<T>(keeping: Promise<T>): Promise<T> {
  return keeping.catch((error: unknown) => {
    if (!isOfForm(error)) throw error
    throw new DatabaseError(
      'history_differs',
      `The history of metrics in this database has another form than in the release of the backup (${reasonOf(error)}). Restore it without --keep-history.`,
      error,
    )
  })
}

/** Returns true for what PostgreSQL says of columns, tables and rows that do not fit, and false for a full disk or a lost connection. */
function isOfForm(error: unknown): boolean {
  // Classes of SQLSTATE: data, constraints, and names or types.
  return /^(?:22|23|42)/.test(String((error as pg.DatabaseError).code))
}

function fillerOf(client: pg.Client, tables: ReadonlySet<string>, kept: KeptHistory | undefined): Restored {
  const isLeft = (table: string) => kept !== undefined && isKept(table)
  const sequences = new Set(kept?.sequences.map(({ name }) => name))
  return {
    async partition(partition) {
      if (!isPartition(partition))
        throw new DatabaseError(
          'unusable',
          `The backup contains a partition '${partition.name}' that Roost does not make. The file is damaged or was edited. Use another backup.`,
        )
      await client.query(createPartitionSql(client, partition))
    },
    async rows(table, texts) {
      if (!tables.has(table))
        throw new DatabaseError(
          'unusable',
          `The backup contains a table '${table}' that Roost does not have. The file is damaged or was edited. Use another backup.`,
        )
      if (isLeft(table)) return
      const name = client.escapeIdentifier(table)
      await client.query(`insert into ${name} select * from jsonb_populate_recordset(null::${name}, $1::jsonb)`, [
        `[${texts.join(',')}]`,
      ])
    },
    async sequence(name, last) {
      if (sequences.has(name)) return
      await client.query('select setval($1::regclass, $2::bigint)', [client.escapeIdentifier(name), last])
    },
  }
}

async function assertKnown(migrations: readonly string[]): Promise<void> {
  const known = await readdir(migrationsDir)
  const unknown = migrations.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new DatabaseError(
      'newer',
      `The backup was made by a newer release of Roost (it has the migrations ${unknown.join(', ')}). Restore it with that release or a later one.`,
    )
}

async function hasRows(client: pg.Client): Promise<boolean> {
  for (const table of await tablesInOrder(client)) {
    const { rows } = await client.query(`select 1 from ${client.escapeIdentifier(table)} limit 1`)
    if (rows.length > 0) return true
  }
  return false
}

async function hasMigrations(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ known: string | null }>(
    "select to_regclass('_prisma_migrations')::text as known",
  )
  return rows[0]?.known != null
}

/**
 * The schema of these migrations in the place of the one that is there, inside of a transaction, which Prisma's engine cannot
 * be given. Its table of migrations stays, with the rows that the engine would have written.
 */
async function remake(client: pg.Client, migrations: readonly string[], aside: ReadonlySet<string>): Promise<void> {
  await dropAll(client, aside)
  await client.query('delete from _prisma_migrations')
  for (const name of migrations) {
    const script = await readFile(join(migrationsDir, name, 'migration.sql'), 'utf8')
    await client.query(script)
    await client.query(
      `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       values ($1, $2, $3, now(), now(), 1)`,
      [randomUUID(), createHash('sha256').update(script).digest('hex'), name],
    )
  }
}

/** Tables with their triggers, and functions. What no migration of Roost's has touched is left alone. */
async function dropAll(client: pg.Client, aside: ReadonlySet<string>): Promise<void> {
  for (const table of await tablesInOrder(client))
    if (!aside.has(table)) await client.query(`drop table ${client.escapeIdentifier(table)} cascade`)
  const { rows: functions } = await client.query<{ signature: string }>(
    `select p.oid::regprocedure::text as signature from pg_proc p
      where p.pronamespace = current_schema()::regnamespace
        and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  )
  for (const { signature } of functions) await client.query(`drop function ${signature}`)
}

/** Applies these migrations alone: those that came later follow at the next start, over the data. */
async function migrateTo(connection: Connection, migrations: readonly string[], log: RestoreOptions['log']) {
  const directory = await mkdtemp(join(tmpdir(), 'roost-migrations-'))
  try {
    for (const name of [...migrations, 'migration_lock.toml'])
      await cp(join(migrationsDir, name), join(directory, name), { recursive: true })
    await migrate(connection, log, directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
