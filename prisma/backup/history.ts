import type pg from 'pg'

/** A partition of a table of the history, as PostgreSQL describes it. */
export interface HistoryPartition {
  readonly table: string
  readonly name: string
  /** `FOR VALUES FROM ('…') TO ('…')`. */
  readonly bound: string
  /** Storage options, such as `toast.autovacuum_enabled=false`. */
  readonly options: readonly string[]
}

export const partitionedTables = ['metric_raw', 'metric_5min', 'metric_hour']
/** What is stored beside the chunks: how far levels are made, and what is still to be sent. */
export const historyTables = ['metric_progress', 'metric_unsent']
/** A row of a level has up to a quarter of a megabyte, twice as much as text. */
const rowsAtOnce = 20

/** Returns true for tables that a backup has only if it is asked for the history of metrics. */
export function isHistory(table: string): boolean {
  return isPartitioned(table) || historyTables.includes(table)
}

/** Returns true for tables whose rows are in partitions. */
export function isPartitioned(table: string): boolean {
  return partitionedTables.includes(table)
}

/** Returns the size of the history on disk in bytes. A database of an earlier release has none. */
export async function historyBytes(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `select coalesce(sum(pg_total_relation_size(i.inhrelid)), 0)::text as bytes from pg_inherits i
      where i.inhparent in (select to_regclass(name) from unnest($1::text[]) name)`,
    [partitionedTables],
  )
  return Number(rows[0]?.bytes)
}

/** Lists the partitions of a table, oldest first. */
export async function listPartitions(client: pg.Client, table: string): Promise<readonly HistoryPartition[]> {
  const { rows } = await client.query<HistoryPartition>(
    `select $1 as table, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound,
       array(select unnest(c.reloptions) union all select 'toast.' || unnest(s.reloptions)) as options
      from pg_inherits i join pg_class c on c.oid = i.inhrelid left join pg_class s on s.oid = c.reltoastrelid
      where i.inhparent = to_regclass($1) order by c.relname`,
    [table],
  )
  return rows
}

/** Returns the statement that makes a partition. The bound and the options are SQL: `isPartition` is their check. */
export function createPartitionSql(client: pg.Client, { table, name, bound, options }: HistoryPartition): string {
  const settings = options.length === 0 ? '' : ` with (${options.join(', ')})`
  return `create table ${client.escapeIdentifier(name)} partition of ${client.escapeIdentifier(table)} ${bound}${settings}`
}

/** Returns true for a partition that `listPartitions` can have answered. */
export function isPartition({ table, name, bound, options }: HistoryPartition): boolean {
  return (
    isPartitioned(table) &&
    /^\w+$/.test(name) &&
    /^FOR VALUES FROM \('[-+:. \d]+'\) TO \('[-+:. \d]+'\)$/.test(bound) &&
    options.every((option) => /^(?:toast\.)?\w+=\w+$/.test(option))
  )
}

/**
 * Reads the rows of a partitioned table as they are in a snapshot. Each page is a transaction of its own: a lock of hours
 * would stop the control plane, which makes and drops partitions.
 */
export async function* readHistory(client: pg.Client, table: string, snapshot: string): AsyncGenerator<string[]> {
  let after: readonly unknown[] = [-1, 0, '-infinity']
  for (;;) {
    await client.query(
      `begin isolation level repeatable read read only; set transaction snapshot ${client.escapeLiteral(snapshot)}`,
    )
    const { rows } = await client.query<{ row: string; kind: number; id: number; at: string }>(
      `select to_jsonb(t)::text as row, owner_kind as kind, owner_id as id, started_at::text as at
        from ${client.escapeIdentifier(table)} t where (owner_kind, owner_id, started_at) > ($1, $2, $3::timestamptz)
        order by owner_kind, owner_id, started_at limit ${rowsAtOnce}`,
      [...after],
    )
    await client.query('commit')
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.map(({ row }) => row)
    after = [last.kind, last.id, last.at]
  }
}
