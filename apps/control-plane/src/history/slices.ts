import { columnRange, decodeColumn, GROUP, readHead } from '@roost/history'
import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'
import type { Level } from './levels.js'
import { longestShiftMs } from './levels.js'

/** Owners of one kind, and a time from a moment to before another, in Unix milliseconds. */
export interface Range {
  readonly kind: number
  readonly ids: readonly number[]
  readonly fromMs: number
  readonly endMs: number
}

/** Some columns of a row, read without the others. */
export interface Part {
  readonly ownerId: number
  readonly columnsId: number
  /** By the clock of the control plane, in Unix milliseconds. */
  readonly times: Float64Array
  /** Returns the values of a column that was asked for. */
  column(index: number): Float64Array
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

/** Returns which columns the rows of a range have, for each owner. */
export async function listColumnSets(database: Reach, level: Level, range: Range) {
  return queryRows<{ ownerId: number; columnsId: number }>(
    database,
    `select distinct owner_id as "ownerId", columns_id as "columnsId" from ${level.table} where ${rangeSql}
      order by 1, 2`,
    rangeValues(level, range),
  )
}

/** Groups of columns, from one to another, that are read in one piece. */
interface Run {
  readonly first: number
  readonly last: number
}

/** So few groups between two that are wanted are read along: a slice of its own would cost more. */
const readAlong = 4
const mostRuns = 8

/** Reads columns of the rows of a range in the order of their owners and times. The server cuts out what is needed. */
export async function* readParts(
  database: Reach,
  level: Level,
  range: Range,
  columnsId: number,
  indexes: Iterable<number>,
): AsyncGenerator<Part> {
  const runs = runsOf([...new Set(Array.from(indexes, (index) => Math.floor(index / GROUP)))].toSorted((a, b) => a - b))
  const slices = runs.map((_, i) => `substr(data, a${i} + 1, b${i} - a${i}) as s${i}`)
  const bounds = runs.map(({ first, last }, i) => `${offsetSql(first)} as a${i}, ${offsetSql(last + 1)} as b${i}`)
  // `offset 0` keeps the planner from merging the selects, which would read a row's data several times.
  const rows = await queryRows<Row>(
    database,
    `select owner_id as "ownerId", shift_ms as "shiftMs", head, ${slices.join(', ')} from (
       select owner_id, started_at, shift_ms, head, data, ${bounds.join(', ')} from (
         select owner_id, started_at, shift_ms, head, data from ${level.table}
         where ${rangeSql} and columns_id = $7 offset 0) x offset 0) y
     order by owner_id, started_at`,
    [...rangeValues(level, range), columnsId],
  )
  for (const row of rows) yield partOf(row, columnsId, runs)
}

type Row = { readonly ownerId: number; readonly shiftMs: number; readonly head: Buffer } & Readonly<
  Record<`s${number}`, Buffer>
>

/** The offset of a group in the data: three bytes of the head. */
function offsetSql(group: number): string {
  const at = 20 + 3 * group
  return `(get_byte(head, ${at}) + 256 * get_byte(head, ${at + 1}) + 65536 * get_byte(head, ${at + 2}))`
}

function partOf(row: Row, columnsId: number, runs: readonly Run[]): Part {
  const { head, ownerId, shiftMs } = row
  const { times } = readHead(head)
  if (shiftMs !== 0) for (let i = 0; i < times.length; i++) times[i] = times[i]! + shiftMs
  return {
    ownerId,
    columnsId,
    times,
    column(index) {
      const group = Math.floor(index / GROUP)
      const i = runs.findIndex(({ last }) => group <= last)
      const base = columnRange(head, runs[i]!.first * GROUP).from
      const { from, end } = columnRange(head, index)
      return decodeColumn(row[`s${i}`]!.subarray(from - base, end - base), index, times.length)
    },
  }
}

function runsOf(groups: readonly number[]): readonly Run[] {
  const runs: { first: number; last: number }[] = []
  for (const group of groups) {
    const run = runs.at(-1)
    if (run !== undefined && group - run.last <= readAlong) run.last = group
    else runs.push({ first: group, last: group })
  }
  return runs.length <= mostRuns ? runs : [{ first: runs[0]!.first, last: runs.at(-1)!.last }]
}
