import { RoostError } from '@roost/api-types/rest'
import type { Database } from '../../database/database.js'
import { queryRows } from '../../database/database.js'
import { compileQuery } from '../../metrics/query.js'
import { select } from '../../metrics/selection.js'
import { addPlane, addReadings, createBuckets, positionsOf } from '../storage/buckets.js'
import type { Buckets } from '../storage/buckets.js'
import type { ColumnStore } from '../storage/columns.js'
import { fiveMinutes, hour, raw } from '../storage/levels.js'
import type { Level } from '../storage/levels.js'
import type { Part } from './parts.js'
import { maxValues, nextStep } from './question.js'
import type { Question } from './question.js'
import { createScan } from './scan.js'
import type { MetricSelection, Scan } from './scan.js'

/** A metric of an owner. */
export interface Found {
  readonly ownerId: number
  readonly name: string
  readonly unit: string
}

/** Readings of a metric, in the order of time. NaN is a gap. */
export interface Readings extends Found {
  readonly times: Float64Array
  readonly values: Float64Array
}

/** Points of a metric at the steps of the question. */
export interface Points extends Found {
  readonly buckets: Buckets
}

export interface Owners {
  readonly kind: number
  readonly ids: readonly number[]
}

/** Selects metrics by names and patterns. Throws `invalid` beyond the limits of a poll. */
export function byNames(names: readonly string[]): MetricSelection {
  const query = compileQuery(names)
  return (set) => select(set, query)
}

export interface HistoryReader {
  of(owners: Owners): OwnersHistory
}

/** The history of some owners for one request: how far their levels are is read once. */
export interface OwnersHistory {
  /** Returns the readings of metrics, by owner and name. Throws `invalid` for more than `most` values. */
  readings(metrics: MetricSelection, question: Question, most?: number): Promise<readonly Readings[]>
  /** Returns the points of metrics, by owner and name. Throws `invalid` for more than `most` values. */
  points(metrics: MetricSelection, question: Question, most?: number): Promise<readonly Points[]>
  /** Returns until when a level is complete for all these owners, in Unix milliseconds. */
  completeUntil(level: Level): Promise<number | undefined>
}

type Reach = Pick<Database, 'pool' | 'disk'>

/** Reads the history from its levels. */
export function createHistoryReader(database: Reach, columns: ColumnStore): HistoryReader {
  const scan = createScan(database, columns)
  return { of: (owners) => historyOf(owners, scan, rememberProgress(database, owners)) }
}

function historyOf(owners: Owners, scan: Scan, completeUntil: OwnersHistory['completeUntil']): OwnersHistory {
  return {
    completeUntil,
    async readings(metrics, question, most = maxValues) {
      let count = 0
      const series = createSeries<Pieces>((found) => ({ ...found, pieces: [] }))
      await scan(raw, { ...owners, fromMs: question.fromMs, endMs: question.endMs }, metrics, (part) => {
        const within = positionsWithin(part.times, question)
        const times = pick(part.times, within)
        return (metric) => {
          count += times.length
          assertSize(count, question, most)
          const values = pick(part.column(metric.position), within)
          series.of(part.ownerId, metric).pieces.push({ times, values })
        }
      })
      return series.sorted().map(joined)
    },
    async points(metrics, question, most = maxValues) {
      const points = (question.endMs - question.fromMs) / question.stepMs
      const series = createSeries<Points>((found, size) => {
        assertSize(size * points, question, most)
        return { ...found, buckets: createBuckets(points) }
      })
      for (const { level, fromMs, endMs } of await stretches(question, completeUntil)) {
        await scan(level, { ...owners, fromMs, endMs }, metrics, (part) => {
          const at = positionsIn(part.times, { fromMs, endMs }, question, points)
          return (metric) => addColumns(series.of(part.ownerId, metric).buckets, at, part, level, metric.position)
        })
      }
      return series.sorted()
    },
  }
}

/** Returns what reads until when a level is complete, each level once. */
function rememberProgress(database: Reach, owners: Owners): OwnersHistory['completeUntil'] {
  const known = new Map<Level, Promise<number | undefined>>()
  return (level) => {
    const progress = known.get(level) ?? readProgress(database, owners, level)
    known.set(level, progress)
    return progress
  }
}

async function readProgress(database: Reach, { kind, ids }: Owners, { number }: Level): Promise<number | undefined> {
  const [row] = await queryRows<{ until: Date | null }>(
    database,
    number === raw.number ? newestReadingSql : levelProgressSql,
    number === raw.number ? [kind, ids] : [kind, ids, number],
  )
  return row?.until?.getTime()
}

/** The oldest of the newest chunks of owners: what is older is complete for them all. */
const newestReadingSql = `select min(newest) as until from unnest($2::int[]) id, lateral (
  select max(started_at) as newest from metric_raw where owner_kind = $1 and owner_id = id) n`

const levelProgressSql = `select min(until) as until from metric_progress
  where owner_kind = $1 and owner_id = any($2::int[]) and level = $3`

interface Stretch {
  readonly level: Level
  readonly fromMs: number
  readonly endMs: number
}

/** Divides a question into the levels that answer it: what a level does not have yet comes from the finer one. */
async function stretches(
  { level, fromMs, endMs }: Question,
  completeUntil: (level: Level) => Promise<number | undefined>,
): Promise<readonly Stretch[]> {
  const found: Stretch[] = []
  let at = fromMs
  for (const candidate of [hour, fiveMinutes].filter(({ number }) => number <= level.number)) {
    const until = Math.min((await completeUntil(candidate)) ?? at, endMs)
    if (until <= at) continue
    found.push({ level: candidate, fromMs: at, endMs: until })
    at = until
  }
  if (at < endMs) found.push({ level: raw, fromMs: at, endMs })
  return found
}

/** Adds the columns of a metric in a row to its points. */
function addColumns(buckets: Buckets, at: Int32Array, part: Part, { planes }: Level, position: number): void {
  if (planes === 1) return addReadings(buckets, 0, at, part.column(position))
  for (let plane = 0; plane < planes; plane++) addPlane(buckets, 0, at, plane, part.column(position * planes + plane))
}

/** Returns the point that each time belongs to, or -1 where it is outside of the stretch. */
function positionsIn(
  times: Float64Array,
  { fromMs, endMs }: Pick<Stretch, 'fromMs' | 'endMs'>,
  question: Question,
  points: number,
): Int32Array {
  const positions = positionsOf(times, question.fromMs, question.stepMs, points)
  for (let i = 0; i < times.length; i++) if (times[i]! < fromMs || times[i]! >= endMs) positions[i] = -1
  return positions
}

/** Readings of a metric from the rows with one order of columns. */
type Piece = Pick<Readings, 'times' | 'values'>

interface Pieces extends Found {
  readonly pieces: Piece[]
}

/** Returns the positions of the times that are asked for. */
function positionsWithin(times: Float64Array, { fromMs, endMs }: Question): Int32Array {
  const within = new Int32Array(times.length)
  let count = 0
  for (let i = 0; i < times.length; i++) if (times[i]! >= fromMs && times[i]! < endMs) within[count++] = i
  return within.subarray(0, count)
}

function pick(values: Float64Array, positions: ArrayLike<number>): Float64Array {
  const picked = new Float64Array(positions.length)
  for (let i = 0; i < positions.length; i++) picked[i] = values[positions[i]!]!
  return picked
}

/** Joins the readings of each order of columns, which were read on their own, in the order of their times. */
function joined({ pieces, ...found }: Pieces): Readings {
  const [first] = pieces
  const { times, values } =
    first !== undefined && pieces.length === 1
      ? first
      : {
          times: concatenated(pieces.map((piece) => piece.times)),
          values: concatenated(pieces.map((piece) => piece.values)),
        }
  if (isAscending(times)) return { ...found, times, values }
  const order = Array.from(times.keys()).toSorted((a, b) => times[a]! - times[b]!)
  return { ...found, times: pick(times, order), values: pick(values, order) }
}

function concatenated(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function isAscending(times: Float64Array): boolean {
  for (let i = 1; i < times.length; i++) if (times[i]! < times[i - 1]!) return false
  return true
}

function assertSize(values: number, { fromMs, endMs, stepMs }: Question, most: number): void {
  if (values <= most) return
  const series = (values * stepMs) / (endMs - fromMs)
  const step = nextStep(((endMs - fromMs) / 1000) * (series / most))
  throw new RoostError(
    'invalid',
    `The answer would have more than ${most} values. Use a step of ${Math.max(300, step)} or fewer metrics.`,
  )
}

/** Series by owner and name, made when they are first met. */
function createSeries<T extends Found>(make: (found: Found, size: number) => T) {
  const known = new Map<string, T>()
  return {
    get size() {
      return known.size
    },
    of(ownerId: number, { name, unit }: Pick<Found, 'name' | 'unit'>): T {
      const key = `${ownerId}/${name}`
      const series = known.get(key) ?? make({ ownerId, name, unit }, known.size + 1)
      known.set(key, series)
      return series
    },
    sorted: (): readonly T[] =>
      [...known.values()].toSorted((a, b) => a.ownerId - b.ownerId || (a.name < b.name ? -1 : 1)),
  }
}
