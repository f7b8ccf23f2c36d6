import type { MetricHistoryMeta, MetricSeries } from '@roost/api-types/rest'
import { planesOf } from './buckets.js'
import { raw } from './levels.js'
import type { Question } from './question.js'
import { byNames } from './reader.js'
import type { HistoryReader, Owners } from './reader.js'

/** A value of now. */
export interface LatestSample {
  readonly metric_name: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly value: number | null
}

/** Returns the latest values of an owner, which end its charts. */
export type Latest = (ownerId: number) => Promise<readonly LatestSample[]>

/** A series of an owner. */
export interface Series {
  readonly ownerId: number
  readonly series: MetricSeries
}

/** Reads the series of owners at the step of a question. */
export async function seriesOf(
  reader: HistoryReader,
  owners: Owners,
  names: readonly string[],
  question: Question,
): Promise<readonly Series[]> {
  if (question.stepMs <= raw.stepMs)
    return (await reader.readings(owners, byNames(names), question)).map(({ ownerId, name, unit, times, values }) => ({
      ownerId,
      series: { metric_name: name, unit, times: secondsOf(times), values: withNull(values) },
    }))
  return (await reader.points(owners, byNames(names), question)).map(({ ownerId, name, unit, buckets }) => {
    const { mean, minimum, maximum } = planesOf(buckets)
    const values = { mean: withNull(mean), min: withNull(minimum), max: withNull(maximum) }
    return { ownerId, series: { metric_name: name, unit, ...values } }
  })
}

/** A gap is null, never 0. A loop: `Array.from` takes ten times as long for an answer of 100 nodes. */
export function withNull(values: ArrayLike<number>): (number | null)[] {
  const answered: (number | null)[] = []
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    answered.push(Number.isNaN(value) ? null : value)
  }
  return answered
}

function secondsOf(times: Float64Array): number[] {
  const seconds: number[] = []
  for (let i = 0; i < times.length; i++) seconds.push(times[i]! / 1000)
  return seconds
}

/** Appends the latest value of each series, so that it ends now and not minutes ago. */
export async function addLatest(series: readonly Series[], question: Question, latest: Latest): Promise<void> {
  const byOwner = new Map<number, Map<string, LatestSample>>()
  for (const one of series) {
    const samples =
      byOwner.get(one.ownerId) ??
      new Map((await latest(one.ownerId)).map((sample) => [sample.metric_name, sample] as const))
    byOwner.set(one.ownerId, samples)
    const sample = samples.get(one.series.metric_name)
    if (sample !== undefined && sample.value !== null) append(one.series, sample.timestamp, sample.value, question)
  }
}

function append({ times, values, mean, min, max }: MetricSeries, timestamp: number, value: number, question: Question) {
  if (times !== undefined && values !== undefined) {
    // The sample has whole seconds: the same reading may be there with its milliseconds.
    if (timestamp <= Math.floor(times.at(-1) ?? -Infinity)) return
    times.push(timestamp)
    values.push(value)
    return
  }
  const at = Math.floor((timestamp * 1000 - question.fromMs) / question.stepMs)
  // A point that has readings is left as it is.
  for (const plane of [mean, min, max]) if (plane?.[at] === null) plane[at] = value
}

/** Describes the points of an answer. */
export async function metaOf(reader: HistoryReader, owners: Owners, question: Question): Promise<MetricHistoryMeta> {
  const { fromMs, endMs, stepMs, level } = question
  const until = await reader.completeUntil(owners, level)
  return {
    start: Math.floor(fromMs / 1000),
    step: stepMs / 1000,
    points: (endMs - fromMs) / stepMs,
    level: level.name,
    complete_until: until === undefined ? null : Math.floor(Math.min(until, endMs) / 1000),
  }
}
