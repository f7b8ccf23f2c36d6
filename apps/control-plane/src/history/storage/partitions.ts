import type { Database } from '../../database/database.js'
import { queryRows } from '../../database/database.js'
import type { Level } from './levels.js'

/** A partition of a level, from a time to before another. */
export interface Partition {
  readonly name: string
  readonly fromMs: number
  readonly endMs: number
  readonly bytes: number
}

type Reach = Pick<Database, 'pool' | 'disk'>

/** Returns the partition that a time belongs to. */
export function partitionOf({ table, partitionDigits }: Level, timeMs: number): Omit<Partition, 'bytes'> {
  const digits = new Date(timeMs).toISOString().slice(0, 10).replaceAll('-', '').slice(0, partitionDigits)
  return { name: `${table}_${digits}`, ...rangeOf(digits) }
}

function rangeOf(digits: string): { readonly fromMs: number; readonly endMs: number } {
  const year = Number(digits.slice(0, 4))
  const month = Number(digits.slice(4, 6) || 1) - 1
  const day = Number(digits.slice(6, 8) || 1)
  const add = (unit: number) => (digits.length === unit ? 1 : 0)
  return { fromMs: Date.UTC(year, month, day), endMs: Date.UTC(year + add(4), month + add(6), day + add(8)) }
}

const bound = (ms: number) => `'${new Date(ms).toISOString()}'`

/** PostgreSQL's codes for a table that another session has made since `if not exists` was asked: the table, or its row of the catalog. */
const madeByAnother: readonly unknown[] = ['42P07', '23505']

/** Makes the partition for a time, unless it exists. */
export async function makePartition(database: Reach, level: Level, timeMs: number): Promise<void> {
  const { name, fromMs, endMs } = partitionOf(level, timeMs)
  // Raw partitions are dropped as a unit after some days: nothing in them is ever to be vacuumed.
  const settings = level.planes === 1 ? 'with (autovacuum_enabled = false, toast.autovacuum_enabled = false)' : ''
  await queryRows(
    database,
    `create table if not exists ${name} partition of ${level.table}
      for values from (${bound(fromMs)}) to (${bound(endMs)}) ${settings}`,
  ).catch((error: unknown) => {
    if (!madeByAnother.includes((error as { code?: unknown }).code)) throw error
  })
}

/** Lists the partitions of a level, oldest first, with their sizes. */
export async function listPartitions(database: Reach, level: Level): Promise<readonly Partition[]> {
  const rows = await queryRows<{ name: string; bytes: string }>(
    database,
    `select c.relname as name, pg_total_relation_size(c.oid)::text as bytes
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = to_regclass($1) order by 1`,
    [level.table],
  )
  return rows.map(({ name, bytes }) => ({
    name,
    bytes: Number(bytes),
    ...rangeOf(name.slice(level.table.length + 1)),
  }))
}

export async function dropPartition(database: Reach, { name }: Pick<Partition, 'name'>): Promise<void> {
  await queryRows(database, `drop table if exists ${name}`)
}
