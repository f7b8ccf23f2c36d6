import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { RoostError } from '@roost/api-types/rest'
import type { Database } from '../database/database.js'
import { queryRows } from '../database/database.js'
import { compileQuery } from '../metrics/query.js'
import { select } from '../metrics/selection.js'
import { addPlane, addReadings, createBuckets, positionsOf } from './buckets.js'
import type { Buckets } from './buckets.js'
import type { ColumnSet, ColumnStore } from './columns.js'
import { fiveMinutes, hour, raw } from './levels.js'
import type { Level } from './levels.js'
import { maxValues, nextStep } from './question.js'
import type { Question } from './question.js'
import { listColumnSets, readParts } from './slices.js'
import type { Part, Range } from './slices.js'

/** A metric of an owner. */
export interface Found {
  readonly ownerId: number
  readonly name: string
  readonly unit: string
}

/** Readings of a metric, in the order of time. NaN is a gap. */
export interface Readings extends Found {
  readonly times: number[]
  readonly values: number[]
}

/** Points of a metric at the steps of the question. */
export interface Points extends Found {
  readonly buckets: Buckets
}

export interface Owners {
  readonly kind: number
  readonly ids: readonly number[]
}

/** Selects metrics: returns their positions in a set of columns. */
export type MetricSelection = (set: ColumnSet) => Int32Array

/** Selects metrics by names and patterns. Throws `invalid` beyond the limits of a poll. */
export function byNames(names: readonly string[]): MetricSelection {
  const query = compileQuery(names)
  return (set) => select(set, query)
}

export interface HistoryReader {
  /** Returns the readings of metrics, by owner and name. Throws `invalid` for more than `most` values. */
  readings(owners: Owners, metrics: MetricSelection, question: Question, most?: number): Promise<readonly Readings[]>
  /** Returns the points of metrics, by owner and name. Throws `invalid` for more than `most` values. */
  points(owners: Owners, metrics: MetricSelection, question: Question, most?: number): Promise<readonly Points[]>
  /** Returns until when a level is complete for all these owners, in Unix milliseconds. */
  completeUntil(owners: Owners, level: Level): Promise<number | undefined>
}

/** Reads the history from its levels. */
export function createHistoryReader(database: Pick<Database, 'pool' | 'disk'>, columns: ColumnStore): HistoryReader {
  const completeUntil = async ({ kind, ids }: Owners, { number }: Level) => {
    if (number === raw.number) return newestReading(database, { kind, ids })
    const [row] = await queryRows<{ until: Date | null }>(
      database,
      `select min(until) as until from metric_progress where owner_kind = $1 and owner_id = any($2::int[]) and level = $3`,
      [kind, ids, number],
    )
    return row?.until?.getTime()
  }
  const scan = createScan(database, columns)
  return {
    completeUntil,
    async readings(owners, metrics, question, most = maxValues) {
      let count = 0
      const series = createSeries<Readings>((found) => ({ ...found, times: [], values: [] }))
      await scan(raw, rangeOf(owners, question.fromMs, question.endMs), metrics, (part, found) => {
        for (const metric of found) {
          const { times, values } = series.of(part.ownerId, metric)
          count -= values.length
          appendReadings(part, metric.position, question, times, values)
          count += values.length
          assertSize(count, question, most)
        }
      })
      return series.sorted().map(inOrder)
    },
    async points(owners, metrics, question, most = maxValues) {
      const points = (question.endMs - question.fromMs) / question.stepMs
      const series = createSeries<Points>((found, size) => {
        assertSize(size * points, question, most)
        return { ...found, buckets: createBuckets(points) }
      })
      for (const { level, fromMs, endMs } of await stretches(question, (level) => completeUntil(owners, level))) {
        await scan(level, rangeOf(owners, fromMs, endMs), metrics, (part, found) => {
          const at = positionsIn(part.times, { fromMs, endMs }, question, points)
          for (const { position, name, unit } of found)
            addColumns(series.of(part.ownerId, { name, unit }).buckets, at, part, level, position)
        })
      }
      return series.sorted()
    },
  }
}

/** Returns the oldest of the newest chunks of owners: what is older is complete for them all. */
async function newestReading(database: Pick<Database, 'pool' | 'disk'>, { kind, ids }: Owners) {
  const [row] = await queryRows<{ until: Date | null }>(
    database,
    `select min(newest) as until from unnest($2::int[]) id, lateral (
       select max(started_at) as newest from metric_raw where owner_kind = $1 and owner_id = id) n`,
    [kind, ids],
  )
  return row?.until?.getTime()
}

/** Columns that are read in one go, in about a millisecond: going through the event loop costs as much as a few of them. */
const columnsAtOnce = 128

/** Returns a function that calls `add` with each row of a level in the range that has any of the names, and with these. */
function createScan(database: Pick<Database, 'pool' | 'disk'>, columns: ColumnStore) {
  return async (level: Level, range: Range, metrics: MetricSelection, add: Add) => {
    let columnsRead = 0
    const wanted = new Set((await listColumnSets(database, level, range)).map(({ columnsId }) => columnsId))
    for (const columnsId of wanted) {
      const set = await columns.get(columnsId)
      const positions = metrics(set)
      if (positions.length === 0) continue
      const found = Array.from(positions, (position) => ({
        position,
        name: set.metrics[position]!.name,
        unit: set.units[position]!,
      }))
      const indexes = found.flatMap(({ position }) =>
        Array.from({ length: level.planes }, (_, plane) => position * level.planes + plane),
      )
      for await (const part of readParts(database, level, range, columnsId, indexes)) {
        add(part, found)
        columnsRead += indexes.length
        if (columnsRead < columnsAtOnce) continue
        columnsRead = 0
        await yieldToLoop()
      }
    }
  }
}

interface FoundColumn {
  readonly position: number
  readonly name: string
  readonly unit: string
}

type Add = (part: Part, found: readonly FoundColumn[]) => void

const rangeOf = ({ kind, ids }: Owners, fromMs: number, endMs: number): Range => ({ kind, ids, fromMs, endMs })

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

function appendReadings(part: Part, position: number, { fromMs, endMs }: Question, times: number[], values: number[]) {
  const column = part.column(position)
  for (let i = 0; i < column.length; i++) {
    const time = part.times[i]!
    if (time < fromMs || time >= endMs) continue
    times.push(time)
    values.push(column[i]!)
  }
}

/** Orders readings by their times: those of each order of columns were read on their own. */
function inOrder(readings: Readings): Readings {
  const { times, values } = readings
  if (times.every((time, i) => i === 0 || time >= times[i - 1]!)) return readings
  const order = Array.from(times.keys()).toSorted((a, b) => times[a]! - times[b]!)
  return { ...readings, times: order.map((i) => times[i]!), values: order.map((i) => values[i]!) }
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
