import { queryRows } from '../../database/database.js'
import type { Database } from '../../database/database.js'
import type { Level } from '../storage/levels.js'
import { longestShiftMs } from '../storage/levels.js'
import { partOf } from './parts.js'
import type { Pack, Part } from './parts.js'
import { groupsSql, runsOf, wantedSql } from './runs.js'

/** Owners of one kind, and a time from a moment to before another, in Unix milliseconds. */
export interface Range {
  readonly kind: number
  readonly ids: readonly number[]
  readonly fromMs: number
  readonly endMs: number
}

type Reach = Pick<Database, 'pool' | 'disk'>

/** Rows of the range: the key may differ from the time by the shift, and a row begins before what it covers. */
const rangeSql = `owner_kind = $1 and owner_id = any($2::int[]) and started_at >= $3 and started_at < $4
  and started_at + shift_ms * interval '1 ms' >= $5 and started_at + shift_ms * interval '1 ms' < $6`

function rangeValues({ rowMs, planes }: Level, { kind, ids, fromMs, endMs }: Range): unknown[] {
  const firstMs = fromMs - rowMs
  const shift = planes === 1 ? longestShiftMs : 0
  return [kind, ids, new Date(firstMs - shift), new Date(endMs + shift), new Date(firstMs), new Date(endMs)]
}

/** Returns which orders of columns the rows of a range have. */
export async function listColumnSets(database: Reach, level: Level, range: Range): Promise<readonly number[]> {
  const sets = await queryRows<{ columnsId: number }>(
    database,
    `select distinct columns_id as "columnsId" from ${level.table} where ${rangeSql} order by 1`,
    rangeValues(level, range),
  )
  return sets.map(({ columnsId }) => columnsId)
}

/** Rows that are read as one: a larger result has the driver copy it while it arrives. */
const rowsOfPack = 12

const lengthFirst = (bytes: string) => `int4send(octet_length(${bytes})) || ${bytes}`

/** Reads columns of the rows of a range in the order of their owners and times. The server cuts out what is needed. */
export async function* readParts(
  database: Reach,
  level: Level,
  range: Range,
  columnsId: number,
  indexes: readonly number[],
): AsyncGenerator<Part> {
  const runs = runsOf(indexes)
  const groups = runs.map((run, i) => `${groupsSql(run)} as g${i}`)
  const wanted = runs.map((run, i) => `${wantedSql(run, `g${i}`)} as s${i}`)
  const bytes = ['int4send(shift_ms)', lengthFirst('head'), ...runs.map((_, i) => lengthFirst(`s${i}`))]
  // `offset 0` keeps the planner from merging the selects, which would read a row's data several times. Rows come packed: each
  // result of its own costs the driver more than what is in it.
  const packs = await queryRows<Pack>(
    database,
    `select owner_id as "ownerId", string_agg(${bytes.join(' || ')}, '' order by started_at) as rows from (
       select owner_id, started_at, shift_ms, head, ${wanted.join(', ')} from (
         select owner_id, started_at, shift_ms, head, ${groups.join(', ')} from ${level.table}
         where ${rangeSql} and columns_id = $7 offset 0) x offset 0) y
     group by owner_id, floor(extract(epoch from started_at) / $8)
     order by owner_id, min(started_at)`,
    [...rangeValues(level, range), columnsId, (rowsOfPack * level.rowMs) / 1000],
  )
  for (let from = 0; from < packs.length;) {
    const { ownerId } = packs[from]!
    let end = from + 1
    while (packs[end]?.ownerId === ownerId) end++
    yield partOf(ownerId, packs.slice(from, end), runs)
    from = end
  }
}
