import { advisoryLocks } from '@roost/database'
import type { Database, Session } from '../../database/database.js'
import { Compaction } from './compaction.js'
import type { FinerRow } from './compaction.js'
import type { ColumnStore } from './columns.js'
import { fiveMinutes, hour, longestShiftMs, longestWindowMs, raw } from './levels.js'
import type { Level, Owner } from './levels.js'
import { makePartition } from './partitions.js'

/** Chunks of a row arrive so long after its end, if the agent is connected. */
const graceMs = longestWindowMs
/** Chunks that are in memory at once. */
const rowsAtOnce = 12

interface Due extends Owner {
  /** The progress before, and the beginning of the row. */
  readonly until: Date
  readonly fromMs: number
}

/** Makes the rows of the levels that are due, one owner and row at a time. Returns how many it made. */
export async function makeLevels(
  database: Pick<Database, 'pool' | 'disk'>,
  columns: ColumnStore,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  const client = await database.pool.connect()
  try {
    // One control plane of a database makes the levels; the lock also ends with the connection.
    const { rows } = await client.query<{ isOurs: boolean }>('select pg_try_advisory_lock($1) as "isOurs"', [
      advisoryLocks.historyLevels,
    ])
    if (rows[0]?.isOurs !== true) return 0
    try {
      const made = await makeAll(client, database, columns, { level: fiveMinutes, finer: raw }, nowMs, signal)
      return made + (await makeAll(client, database, columns, { level: hour, finer: fiveMinutes }, nowMs, signal))
    } finally {
      await client.query('select pg_advisory_unlock($1)', [advisoryLocks.historyLevels])
    }
  } finally {
    client.release()
  }
}

interface Pair {
  readonly level: Level
  readonly finer: Level
}

async function makeAll(
  client: Session,
  database: Pick<Database, 'pool' | 'disk'>,
  columns: ColumnStore,
  pair: Pair,
  nowMs: number,
  signal: AbortSignal,
): Promise<number> {
  let made = 0
  for (;;) {
    const due = await listDue(client, pair, nowMs)
    for (const owner of due) {
      if (signal.aborted) return made
      await makePartition(database, pair.level, owner.fromMs)
      await makeRow(client, columns, pair, owner)
      made += 1
    }
    if (due.length === 0) return made
  }
}

/** Lists owners with a row that is due, oldest first; a row without anything of the finer level is skipped. */
async function listDue(client: Session, { level, finer }: Pair, nowMs: number): Promise<readonly Due[]> {
  const { rows } = await client.query<{ kind: number; id: number; until: Date; from: Date }>(
    `select p.owner_kind as kind, p.owner_id as id, p.until, b.from from metric_progress p,
      lateral (select min(greatest(started_at + shift_ms * interval '1 ms', p.until)) as first from ${finer.table} r
        where r.owner_kind = p.owner_kind and r.owner_id = p.owner_id
          and r.started_at >= p.until - $3 * interval '1 ms'
          and r.started_at + shift_ms * interval '1 ms' >= p.until) f,
      lateral (select to_timestamp(floor(extract(epoch from f.first) / $2) * $2) as from) b
      where p.level = $1 and b.from <= $4
      order by b.from limit 200`,
    [
      level.number,
      level.rowMs / 1000,
      finer.planes === 1 ? longestShiftMs : 0,
      new Date(nowMs - level.rowMs - graceMs),
    ],
  )
  return rows.map(({ kind, id, until, from }) => ({ kind, id, until, fromMs: from.getTime() }))
}

/**
 * Makes the row of an owner that begins at a time. The progress moves first, in the same transaction: a chunk that is stored
 * meanwhile waits for it, and then sets it back.
 */
async function makeRow(client: Session, columns: ColumnStore, { level, finer }: Pair, due: Due): Promise<void> {
  const { kind, id, until, fromMs } = due
  const endMs = fromMs + level.rowMs
  await client.query('begin')
  try {
    const { rowCount } = await client.query(
      'update metric_progress set until = $5 where owner_kind = $1 and owner_id = $2 and level = $3 and until = $4',
      [kind, id, level.number, until, new Date(endMs)],
    )
    // A chunk that came meanwhile has set it back: the next list begins there.
    if (rowCount === 1) await fillRow(client, columns, { level, finer }, due)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Stores the row: what the finer level has, and before it what the row had. */
async function fillRow(client: Session, columns: ColumnStore, { level, finer }: Pair, due: Due): Promise<void> {
  const { kind, id, fromMs } = due
  const compaction = new Compaction(level, fromMs, columns)
  for await (const row of finerRows(client, finer, due, fromMs + level.rowMs)) await compaction.add(finer, row)
  const { rows } = await client.query<FinerRow>(
    `select columns_id as "columnsId", shift_ms as "shiftMs", head, data from ${level.table}
      where owner_kind = $1 and owner_id = $2 and started_at = $3`,
    [kind, id, new Date(fromMs)],
  )
  for (const before of rows) await compaction.keep(before)
  const made = await compaction.make()
  if (made === undefined) return
  await client.query(
    `insert into ${level.table} (owner_kind, owner_id, started_at, shift_ms, columns_id, head, data)
     values ($1, $2, $3, 0, $4, $5, $6) on conflict (owner_kind, owner_id, started_at)
     do update set columns_id = excluded.columns_id, head = excluded.head, data = excluded.data`,
    [kind, id, new Date(fromMs), made.columnsId, Buffer.from(made.head), Buffer.from(made.data)],
  )
}

async function* finerRows(
  client: Session,
  finer: Level,
  { kind, id, fromMs }: Due,
  endMs: number,
): AsyncGenerator<FinerRow> {
  const shiftMs = finer.planes === 1 ? longestShiftMs : 0
  let from = new Date(fromMs - finer.rowMs - shiftMs)
  for (;;) {
    const { rows } = await client.query<FinerRow & { startedAt: Date }>(
      `select started_at as "startedAt", columns_id as "columnsId", shift_ms as "shiftMs", head, data from ${finer.table}
        where owner_kind = $1 and owner_id = $2 and started_at > $3 and started_at < $4
          and started_at + shift_ms * interval '1 ms' >= $5 and started_at + shift_ms * interval '1 ms' < $6
        order by started_at limit ${rowsAtOnce}`,
      [kind, id, from, new Date(endMs + shiftMs), new Date(fromMs - finer.rowMs), new Date(endMs)],
    )
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < rowsAtOnce) return
    from = last.startedAt
  }
}
