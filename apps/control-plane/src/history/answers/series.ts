import type { MetricHistoryMeta } from '@roost/api-types/rest'
import { finish } from '../storage/buckets.js'
import { raw } from '../storage/levels.js'
import type { Question } from './question.js'
import { byNames } from './reader.js'
import type { OwnersHistory } from './reader.js'

/** A value of now. */
export interface LatestSample {
  readonly metric_name: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly value: number | null
}

/** Returns the latest values of an owner, which end its charts. */
export type Latest = (ownerId: number) => Promise<readonly LatestSample[]>

/** Readings with their times in Unix milliseconds, or points at the steps of the question. NaN is a gap. */
export type Columns =
  | { readonly times: Float64Array; readonly values: Float64Array }
  | { readonly mean: Float64Array; readonly min: Float64Array; readonly max: Float64Array }

/** A metric of an owner over time. */
export interface Series {
  readonly ownerId: number
  readonly name: string
  readonly unit: string
  readonly columns: Columns
}

/** An answer as it is read. */
export interface HistoryAnswer {
  readonly meta: MetricHistoryMeta
  readonly series: readonly Series[]
}

/** Reads the series of owners at the step of a question. */
export async function seriesOf(
  history: OwnersHistory,
  names: readonly string[],
  question: Question,
): Promise<readonly Series[]> {
  if (question.stepMs <= raw.stepMs)
    return (await history.readings(byNames(names), question)).map(({ times, values, ...found }) => ({
      ...found,
      columns: { times, values },
    }))
  return (await history.points(byNames(names), question)).map(({ buckets, ...found }) => {
    const { mean, minimum, maximum } = finish(buckets)
    return { ...found, columns: { mean, min: minimum, max: maximum } }
  })
}

/** Returns the series with the latest value of each at its end, so that it ends now and not minutes ago. */
export async function withLatest(
  series: readonly Series[],
  question: Question,
  latest: Latest,
): Promise<readonly Series[]> {
  const byOwner = new Map<number, Map<string, LatestSample>>()
  const found: Series[] = []
  for (const one of series) {
    const samples =
      byOwner.get(one.ownerId) ??
      new Map((await latest(one.ownerId)).map((sample) => [sample.metric_name, sample] as const))
    byOwner.set(one.ownerId, samples)
    const { timestamp, value = null } = samples.get(one.name) ?? { timestamp: 0 }
    found.push(value === null ? one : { ...one, columns: appended(one.columns, timestamp, value, question) })
  }
  return found
}

/** Returns the columns with the value. Points are changed where they are; readings are copied to have space. */
function appended(columns: Columns, timestamp: number, value: number, question: Question): Columns {
  const timeMs = timestamp * 1000
  if ('times' in columns) {
    const { times, values } = columns
    // The sample has whole seconds: the same reading may be there with its milliseconds.
    if (timestamp <= Math.floor((times.at(-1) ?? -Infinity) / 1000)) return columns
    return { times: extended(times, timeMs), values: extended(values, value) }
  }
  const at = Math.floor((timeMs - question.fromMs) / question.stepMs)
  // A point that has readings is left as it is.
  for (const plane of [columns.mean, columns.min, columns.max]) if (Number.isNaN(plane[at])) plane[at] = value
  return columns
}

function extended(values: Float64Array, value: number): Float64Array {
  const longer = new Float64Array(values.length + 1)
  longer.set(values)
  longer[values.length] = value
  return longer
}

/** Describes the points of an answer. */
export async function metaOf(history: OwnersHistory, question: Question): Promise<MetricHistoryMeta> {
  const { fromMs, endMs, stepMs, level } = question
  const until = await history.completeUntil(level)
  return {
    start: Math.floor(fromMs / 1000),
    step: stepMs / 1000,
    points: (endMs - fromMs) / stepMs,
    level: level.name,
    complete_until: until === undefined ? null : Math.floor(Math.min(until, endMs) / 1000),
  }
}
