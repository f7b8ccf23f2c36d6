import { RoostError } from '@roost/api-types/rest'
import { finish } from '../../history/storage/buckets.js'
import type { ColumnSet } from '../../history/storage/columns.js'
import { fiveMinutes, hour, ownerKinds, raw } from '../../history/storage/levels.js'
import type { KeptFor } from '../../history/storage/levels.js'
import type { Latest } from '../../history/answers/series.js'
import type { Question } from '../../history/answers/question.js'
import type { HistoryReader } from '../../history/answers/reader.js'
import type { MetricSelection } from '../../history/answers/scan.js'
import type { Matcher } from './matcher.js'
import { metricLabels } from './owners.js'
import type { LabeledOwner } from './owners.js'
import type { ReadQuery } from './read-request.js'
import { encodeLabels, withGapMarks } from './series.js'
import type { Samples } from './series.js'

export interface RemoteReadOptions {
  readonly reader: HistoryReader
  readonly kept: KeptFor
  readonly listOwners: () => Promise<readonly LabeledOwner[]>
  /** The latest values of each kind of owner, by names. */
  readonly latest: (kind: number, id: number, names: readonly string[]) => ReturnType<Latest>
  /** Unix milliseconds. */
  readonly now: () => number
}

/** A series with its encoded labels. */
export interface ReadSeries {
  readonly labels: Buffer
  readonly samples: Samples
}

/** More would need gigabytes in Prometheus. */
export const mostSamples = 5_000_000
/** A query that ends so shortly ago is one about now. */
const nowMs = 60_000

/** Answers queries of Prometheus from the history, each with its series. Throws `invalid`. */
export async function answerQueries(
  options: RemoteReadOptions,
  queries: readonly ReadQuery[],
): Promise<readonly (readonly ReadSeries[])[]> {
  const owners = await options.listOwners()
  const answers: ReadSeries[][] = []
  let left = mostSamples
  for (const query of queries) {
    const answer = await answerQuery(options, query, owners, left)
    left -= answer.reduce((sum, { samples }) => sum + samples.times.length, 0)
    answers.push(answer)
  }
  return answers
}

async function answerQuery(
  options: RemoteReadOptions,
  query: ReadQuery,
  owners: readonly LabeledOwner[],
  most: number,
): Promise<ReadSeries[]> {
  const { fromMs, toMs, matchers } = query
  if (toMs < fromMs) return []
  const answer: ReadSeries[] = []
  for (const kind of Object.values(ownerKinds)) {
    const asked = new Map(owners.filter((one) => one.kind === kind && fits(matchers, one.labels)).map((o) => [o.id, o]))
    if (asked.size === 0) continue
    const found = await readSeries(options, { kind, ids: [...asked.keys()] }, query, most - samplesOf(answer))
    if (toMs > options.now() - nowMs) await addLatest(options, kind, found)
    for (const { ownerId, name, samples } of found) {
      const labels = { ...metricLabels(kind, name), ...asked.get(ownerId)!.labels }
      answer.push({ labels: encodeLabels(labels), samples: withGapMarks(samples) })
    }
  }
  return answer
}

const samplesOf = (series: readonly ReadSeries[]) => series.reduce((sum, { samples }) => sum + samples.times.length, 0)

const metricLabelNames = new Set(['__name__', 'metric'])

/** The labels of an owner: those of the metric are compared by `selecting`. */
function fits(matchers: readonly Matcher[], labels: LabeledOwner['labels']): boolean {
  return matchers.every(({ label, matches }) => metricLabelNames.has(label) || matches(labels[label] ?? ''))
}

function selecting(kind: number, matchers: readonly Matcher[]): MetricSelection {
  const ofMetric = matchers.filter(({ label }) => metricLabelNames.has(label))
  return ({ metrics, sorted }: ColumnSet) =>
    sorted.filter((position) => {
      const labels = metricLabels(kind, metrics[position]!.name)
      return ofMetric.every(({ label, matches }) => matches(labels[label] ?? ''))
    })
}

interface Found {
  readonly ownerId: number
  readonly name: string
  readonly samples: { readonly times: number[]; readonly values: number[] }
}

/** Reads readings, or for what is older than these the means of five minutes or an hour, each at the end of its time. */
async function readSeries(
  { reader, kept, now }: RemoteReadOptions,
  owners: { readonly kind: number; readonly ids: readonly number[] },
  { fromMs, toMs, matchers }: ReadQuery,
  most: number,
): Promise<readonly Found[]> {
  const metrics = selecting(owners.kind, matchers)
  const ageMs = now() - fromMs
  const level = ageMs <= kept.rawMs ? raw : ageMs <= kept.fiveMinutesMs ? fiveMinutes : hour
  const { stepMs } = level
  if (level === raw) {
    const question: Question = { fromMs, endMs: toMs + 1, stepMs, level, isOpen: false }
    const readings = await reader.of(owners).readings(metrics, question, most)
    return readings.map(({ ownerId, name, times, values }) => ({
      ownerId,
      name,
      samples: { times: [...times], values: [...values] },
    }))
  }
  const from = Math.floor(Math.max(fromMs, now() - kept.hourMs) / stepMs) * stepMs
  const endMs = Math.floor(toMs / stepMs) * stepMs
  if (endMs <= from) return []
  const points = await reader.of(owners).points(metrics, { fromMs: from, endMs, stepMs, level, isOpen: false }, most)
  return points.map(({ ownerId, name, buckets }) => {
    const values = [...finish(buckets).mean]
    return { ownerId, name, samples: { times: values.map((_, i) => from + (i + 1) * stepMs), values } }
  })
}

/** Appends the latest values: agents send their readings some minutes later. */
async function addLatest(options: RemoteReadOptions, kind: number, found: readonly Found[]): Promise<void> {
  for (const ownerId of new Set(found.map((one) => one.ownerId))) {
    const series = found.filter((one) => one.ownerId === ownerId)
    const latest = await options.latest(
      kind,
      ownerId,
      series.slice(0, 1_000).map(({ name }) => name),
    )
    const samples = new Map(latest.map((sample) => [sample.metric_name, sample]))
    for (const {
      name,
      samples: { times, values },
    } of series) {
      const sample = samples.get(name)
      const last = times.at(-1) ?? 0
      if (sample?.value == null || sample.timestamp * 1000 <= last) continue
      times.push(sample.timestamp * 1000)
      values.push(sample.value)
    }
  }
}

/** Throws `invalid` if there is no history to read. */
export function requireHistory(isOn: boolean): void {
  if (!isOn) throw new RoostError('invalid', 'History is off (ROOST_HISTORY=off): there is nothing to read.')
}
