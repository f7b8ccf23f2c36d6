import { queryRows } from '../../database/database.js'
import type { Database } from '../../database/database.js'
import { fiveMinutes, hour, raw, rowStart } from './levels.js'
import type { Level, Owner } from './levels.js'
import { makePartition } from './partitions.js'

/** A row of a level. Times are Unix milliseconds. */
export interface ChunkRow {
  readonly owner: Owner
  /** By the clock of the owner; the key. */
  readonly startMs: number
  readonly shiftMs: number
  readonly columnsId: number
  readonly head: Uint8Array
  readonly data: Uint8Array
}

type Reach = Pick<Database, 'pool' | 'disk'>

/** PostgreSQL's code for a row that no partition takes. */
const noPartition = '23514'

/**
 * Stores a chunk of readings. A chunk that is there already changes nothing. One that belongs to a row of a level that is
 * made already sets the progress of that level back, so that the row is made again. With `isSent` it is to be sent elsewhere.
 */
export async function insertRaw(database: Reach, row: ChunkRow, isSent = false): Promise<void> {
  const timeMs = row.startMs + row.shiftMs
  await inPartition(database, raw, row.startMs, () =>
    queryRows(
      database,
      `with added as (
         insert into metric_raw (owner_kind, owner_id, started_at, shift_ms, columns_id, head, data)
         values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning 1)${isSent ? unsentSql : ''}
       insert into metric_progress (owner_kind, owner_id, level, until)
       select $1, $2, l.level, l.until
       from added, (values (1::smallint, $8::timestamptz), (2::smallint, $9::timestamptz)) l(level, until)
       on conflict (owner_kind, owner_id, level) do update set until = excluded.until
       where metric_progress.until > excluded.until`,
      [...valuesOf(row), new Date(rowStart(fiveMinutes, timeMs)), new Date(rowStart(hour, timeMs))],
    ),
  )
}

const unsentSql = `, unsent as (
  insert into metric_unsent (owner_kind, owner_id, started_at) select $1, $2, $3 from added)`

/** The values of a row in the order of the columns. */
export function valuesOf({ owner, startMs, shiftMs, columnsId, head, data }: ChunkRow): unknown[] {
  return [owner.kind, owner.id, new Date(startMs), shiftMs, columnsId, Buffer.from(head), Buffer.from(data)]
}

/** Runs an insert, and once more after making the partition that it lacks. */
async function inPartition<T>(database: Reach, level: Level, timeMs: number, insert: () => Promise<T>): Promise<T> {
  try {
    return await insert()
  } catch (error) {
    if ((error as { code?: unknown }).code !== noPartition) throw error
    await makePartition(database, level, timeMs)
    return insert()
  }
}
