import { columnRange, decodeColumn, GROUP, readHead, readingsOf } from '@roost/history'
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

/** Some columns of the rows of an owner, one row after another, read without the other columns. */
export interface Part {
  readonly ownerId: number
  /** By the clock of the control plane, in Unix milliseconds. */
  readonly times: Float64Array
  /** Returns the values of a column that was asked for; NaN is a gap. */
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
  const slices = runs.map((_, i) => lengthFirst(`substr(data, a${i} + 1, b${i} - a${i})`))
  const bounds = runs.map(({ first, last }, i) => `${offsetSql(first)} as a${i}, ${offsetSql(last + 1)} as b${i}`)
  // `offset 0` keeps the planner from merging the selects, which would read a row's data several times. Rows come packed: each
  // result of its own costs the driver more than what is in it.
  const packs = await queryRows<Pack>(
    database,
    `select owner_id as "ownerId", string_agg(${['int4send(shift_ms)', lengthFirst('head'), ...slices].join(' || ')}, ''
         order by started_at) as rows from (
       select owner_id, started_at, shift_ms, head, data, ${bounds.join(', ')} from (
         select owner_id, started_at, shift_ms, head, data from ${level.table}
         where ${rangeSql} and columns_id = $7 offset 0) x offset 0) y
     group by owner_id, floor(extract(epoch from started_at) / $8)
     order by owner_id, min(started_at)`,
    [...rangeValues(level, range), columnsId, (rowsOfPack * level.rowMs) / 1000],
  )
  for (let from = 0; from < packs.length;) {
    const { ownerId } = packs[from]!
    let end = from + 1
    while (packs[end]?.ownerId === ownerId) end++
    yield partOf(ownerId, unpack(packs.slice(from, end), runs.length), runs)
    from = end
  }
}

/** Rows that are read as one: a larger result has the driver copy it while it arrives. */
const rowsOfPack = 12

interface Pack {
  readonly ownerId: number
  /** Of each row the shift, the head and the slices, the last two after their length. */
  readonly rows: Buffer
}

const lengthFirst = (bytes: string) => `int4send(octet_length(${bytes})) || ${bytes}`

/** A row of a level without the columns that were not asked for. */
interface Row {
  readonly shiftMs: number
  readonly head: Buffer
  readonly slices: readonly Buffer[]
}

function unpack(packs: readonly Pack[], slices: number): readonly Row[] {
  const found: Row[] = []
  for (const { rows } of packs) {
    let at = 0
    const next = () => {
      const from = at + 4
      at = from + rows.readInt32BE(at)
      return rows.subarray(from, at)
    }
    while (at < rows.length) {
      const shiftMs = rows.readInt32BE(at)
      at += 4
      found.push({ shiftMs, head: next(), slices: Array.from({ length: slices }, next) })
    }
  }
  return found
}

/** The offset of a group in the data: three bytes of the head. */
function offsetSql(group: number): string {
  const at = 20 + 3 * group
  return `(get_byte(head, ${at}) + 256 * get_byte(head, ${at + 1}) + 65536 * get_byte(head, ${at + 2}))`
}

function partOf(ownerId: number, rows: readonly Row[], runs: readonly Run[]): Part {
  const begins = beginsOf(rows)
  const readings = begins.at(-1)!
  const times = new Float64Array(readings)
  for (const [i, { head, shiftMs }] of rows.entries()) {
    const ofRow = times.subarray(begins[i], begins[i + 1])
    readHead(head, () => ofRow)
    if (shiftMs !== 0) for (let j = 0; j < ofRow.length; j++) ofRow[j] = ofRow[j]! + shiftMs
  }
  return {
    ownerId,
    times,
    column(index) {
      const group = Math.floor(index / GROUP)
      const run = runs.findIndex(({ last }) => group <= last)
      const values = new Float64Array(readings)
      for (const [i, { head, slices }] of rows.entries()) {
        const base = columnRange(head, runs[run]!.first * GROUP).from
        const { from, end } = columnRange(head, index)
        decodeColumn(slices[run]!.subarray(from - base, end - base), index, values.subarray(begins[i], begins[i + 1]))
      }
      return values
    },
  }
}

/** Returns where the readings of each row begin, and at last where they end. */
function beginsOf(rows: readonly Row[]): readonly number[] {
  let end = 0
  return [0, ...rows.map(({ head }) => (end += readingsOf(head)))]
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
