import type pg from 'pg'
import { DatabaseError } from '../client/errors.js'
import { historyTables, isHistory, listPartitions, partitionedTables } from './history.js'
import type { HistoryPartition } from './history.js'

/** Tables that say what is in chunks, by ids that only grow. They belong to the chunks, and are in every backup. */
const describing = ['metric_names', 'metric_columns', 'metric_node_columns']

/** Tables of what has a history, with the number that it has in `owner_kind`. */
const owners = [
  ['nodes', 0],
  ['clusters', 1],
] as const

/** The history of metrics while the rest of its database is replaced. */
export interface KeptHistory {
  readonly partitions: readonly HistoryPartition[]
  readonly sequences: readonly Sequence[]
  /** What identifies the database: another one gives other meanings to the ids in chunks. */
  readonly installation: string | undefined
}

interface Sequence {
  readonly name: string
  readonly last: string
}

/** Returns true for tables whose rows stay where the history is kept. */
export function isKept(table: string): boolean {
  return isHistory(table) || describing.includes(table)
}

/**
 * Takes the history out of its tables, so that these can be dropped. No chunk is copied. Returns undefined in a database
 * without chunks. Throws where a table that belongs to them is missing.
 */
export async function setHistoryAside(client: pg.Client): Promise<KeptHistory | undefined> {
  const copied = [...describing, ...historyTables]
  const lists = []
  for (const table of partitionedTables) lists.push(await listPartitions(client, table))
  const partitions = lists.flat()
  if (partitions.length === 0) return undefined
  // A missing table is an error here; its partitions would not be listed.
  await client.query('select unnest($1::text[])::regclass', [partitionedTables])
  for (const { table, name } of partitions)
    await client.query(`alter table ${table} detach partition ${client.escapeIdentifier(name)}`)
  for (const table of copied) await client.query(`create temp table kept_${table} on commit drop as table ${table}`)
  for (const [table] of owners)
    await client.query(`create temp table kept_${table} on commit drop as select id, uuid from ${table}`)
  const { rows: sequences } = await client.query<Sequence>(
    `select s.sequencename as name, s.last_value::text as last from unnest($1::text[]) t
       join pg_depend d on d.refobjid = to_regclass(t) and d.deptype = 'a'
       join pg_class c on c.oid = d.objid and c.relkind = 'S'
       join pg_sequences s on s.schemaname = current_schema() and s.sequencename = c.relname
      where s.last_value is not null`,
    [copied],
  )
  return { partitions, sequences, installation: await installationOf(client) }
}

/** Puts the history into empty tables. Throws where these have another form than those that it was in. */
export async function putHistoryBack(client: pg.Client, { partitions, sequences }: KeptHistory): Promise<void> {
  for (const { table, name, bound } of partitions)
    await client.query(`alter table ${table} attach partition ${client.escapeIdentifier(name)} ${bound}`)
  for (const table of [...describing, ...historyTables])
    await client.query(`insert into ${table} select * from kept_${table}`)
  for (const { name, last } of sequences)
    await client.query('select setval($1::regclass, $2::bigint)', [client.escapeIdentifier(name), last])
}

/**
 * Adapts the history to the rest of the database. Throws unless that is of the same installation. The history of nodes and
 * clusters that the rest does not have is removed: others have their ids, or will get them.
 */
export async function adaptHistory(client: pg.Client, { installation }: KeptHistory): Promise<void> {
  if (installation === undefined || installation !== (await installationOf(client)))
    throw new DatabaseError(
      'history_differs',
      'The history of metrics in this database is not of the installation that made the backup. Restore it without --keep-history.',
    )
  await client.query(
    `create temp table same_owners on commit drop as ${owners
      .map(([table, kind]) => `select ${kind} as kind, id from ${table} join kept_${table} using (id, uuid)`)
      .join(' union all ')}`,
  )
  for (const table of [...partitionedTables, ...historyTables])
    await client.query(`delete from ${table} where (owner_kind, owner_id) not in (select kind, id from same_owners)`)
  await client.query('delete from metric_node_columns where node_id not in (select id from same_owners where kind = 0)')
}

/** Returns what tells a database from others; undefined in one of a release that did not have it. */
async function installationOf(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ at: string | null }>(
    "select to_jsonb(i)->>'installed_at' as at from installation i",
  )
  return rows[0]?.at ?? undefined
}
