import pg from 'pg'
import type { Connection } from '../client/client.js'
import { connectError } from '../client/connect-error.js'
import { historyBytes, isHistory, isPartitioned, listPartitions, readHistory } from './history.js'
import type { HistoryPartition } from './history.js'

/** Takes a dump as it is read, in this order; each call is awaited before more is read. */
export interface DumpSink {
  /** The migrations that the database has, in their order. */
  schema(migrations: readonly string[]): Promise<void>
  /** What follows are rows of this table; tables that others point at come first. */
  table(name: string): Promise<void>
  /** A partition of this table, before its rows. */
  partition(partition: HistoryPartition): Promise<void>
  /** JSON objects, a row each, without line breaks. */
  rows(texts: readonly string[]): Promise<void>
  /** The last number that a sequence has given. */
  sequence(name: string, last: string): Promise<void>
}

const rowsAtOnce = 100

export interface DumpOptions {
  /** Also read the history of metrics: it is large, and twice as large as text. */
  readonly withHistory: boolean
}

/** Reads the database as it is at one moment, while others go on writing. Returns the size of the history in bytes. */
export async function dumpDatabase(
  connection: Connection,
  sink: DumpSink,
  { withHistory }: DumpOptions,
): Promise<number> {
  const client = await connectAs('roost backup', connection)
  try {
    await client.query('begin isolation level repeatable read read only')
    const { rows: applied } = await client.query<{ name: string }>(
      'select migration_name as name from _prisma_migrations where finished_at is not null order by migration_name',
    )
    await sink.schema(applied.map(({ name }) => name))
    const tables = (await tablesInOrder(client)).filter((table) => withHistory || !isHistory(table))
    for (const table of tables) if (!isPartitioned(table)) await dumpTable(client, table, sink)
    if (withHistory) await dumpPartitioned(client, connection, tables.filter(isPartitioned), sink)
    const { rows: sequences } = await client.query<{ name: string; last: string }>(
      `select sequencename as name, last_value::text as last from pg_sequences
        where schemaname = current_schema() and last_value is not null order by 1`,
    )
    for (const { name, last } of sequences) await sink.sequence(name, last)
    const bytes = await historyBytes(client)
    await client.query('commit')
    return bytes
  } finally {
    await client.end().catch(() => {})
  }
}

/** Reads the tables by a connection of its own, in the snapshot of the first, whose transaction stays open. */
async function dumpPartitioned(first: pg.Client, connection: Connection, tables: readonly string[], sink: DumpSink) {
  const { rows } = await first.query<{ snapshot: string }>('select pg_export_snapshot() as snapshot')
  const client = await connectAs('roost backup of history', connection)
  try {
    for (const table of tables) {
      await sink.table(table)
      for (const partition of await listPartitions(first, table)) await sink.partition(partition)
      for await (const texts of readHistory(client, table, rows[0]?.snapshot ?? '')) await sink.rows(texts)
    }
  } finally {
    await client.end().catch(() => {})
  }
}

async function dumpTable(client: pg.Client, table: string, sink: DumpSink): Promise<void> {
  await sink.table(table)
  await client.query(
    `declare dump no scroll cursor for select to_jsonb(t)::text as row from ${client.escapeIdentifier(table)} t`,
  )
  for (;;) {
    const { rows } = await client.query<{ row: string }>(`fetch ${rowsAtOnce} from dump`)
    if (rows.length === 0) break
    await sink.rows(rows.map(({ row }) => row))
  }
  await client.query('close dump')
}

/** Roost's tables, each after those that its rows point at. */
export async function tablesInOrder(client: pg.Client): Promise<readonly string[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> '_prisma_migrations' order by 1`,
  )
  const { rows: edges } = await client.query<{ from: string; to: string }>(
    `select distinct f.relname as from, t.relname as to from pg_constraint k
       join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
      where k.contype = 'f' and f.relnamespace = current_schema()::regnamespace and k.conrelid <> k.confrelid`,
  )
  const ordered: string[] = []
  const visit = (name: string) => {
    if (ordered.includes(name)) return
    for (const { from, to } of edges) if (from === name) visit(to)
    ordered.push(name)
  }
  for (const { name } of tables) visit(name)
  return ordered
}

/** Connects under an application name that shows in `pg_stat_activity`. */
export async function connectAs(name: string, connection: Connection): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, application_name: name, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {}) // the query in progress tells it
  try {
    await client.connect()
    return client
  } catch (error) {
    throw connectError(connection, error)
  }
}
