import type { MetricHistory, MetricHistoryMeta, MetricSeries, NodeMetricHistory } from '@roost/api-types/rest'
import { resourceUri } from '@roost/api-types/rest'
import type { HistoryQuery, MetricHistoryService } from '@roost/api-types/rpc'
import { planesOf } from './buckets.js'
import { ownerKinds, raw } from './levels.js'
import { readQuestion } from './question.js'
import type { KeptFor, Question } from './question.js'
import type { HistoryReader, Owners } from './reader.js'

/** A value of now. */
export interface LatestSample {
  readonly metric_name: string
  /** Unix seconds. */
  readonly timestamp: number
  readonly value: number | null
}

/** Who has a history. */
export interface HistoryOwners {
  /** Throw `not_found`. */
  readonly requireNode: (id: number) => Promise<unknown>
  readonly requireCluster: (id: number) => Promise<unknown>
  readonly nodesOf: (clusterId: number) => readonly number[]
  /** The latest values of a node or a cluster, which end its charts. */
  readonly latestOfNode: (id: number, names: readonly string[]) => Promise<readonly LatestSample[]>
  readonly latestOfCluster: (id: number, names: readonly string[]) => Promise<readonly LatestSample[]>
}

export interface HistoryServiceOptions extends HistoryOwners {
  readonly reader: HistoryReader
  readonly kept: KeptFor
  readonly now: () => number
}

interface Series {
  readonly ownerId: number
  readonly series: MetricSeries
}

export function createHistoryService(options: HistoryServiceOptions): MetricHistoryService {
  const { reader, kept, now } = options
  const read = async (owners: Owners, query: HistoryQuery, latest: Latest) => {
    const question = readQuestion(query, kept, now())
    const series = await seriesOf(reader, owners, query.metrics, question)
    if (question.isOpen) await addLatest(series, question, latest)
    return { meta: await metaOf(reader, owners, question), series }
  }
  const one = async (owners: Owners, query: HistoryQuery, latest: Latest): Promise<MetricHistory> => {
    const { meta, series } = await read(owners, query, latest)
    return { meta, metrics: series.map((one) => one.series) }
  }
  return {
    async ofNode(nodeId, query) {
      await options.requireNode(nodeId)
      const latest = () => options.latestOfNode(nodeId, query.metrics)
      return one({ kind: ownerKinds.node, ids: [nodeId] }, query, latest)
    },
    async ofCluster(clusterId, query) {
      await options.requireCluster(clusterId)
      const latest = () => options.latestOfCluster(clusterId, query.metrics)
      return one({ kind: ownerKinds.cluster, ids: [clusterId] }, query, latest)
    },
    async across(clusterId, query): Promise<NodeMetricHistory> {
      await options.requireCluster(clusterId)
      const ids = options.nodesOf(clusterId)
      const latest = (nodeId: number) => options.latestOfNode(nodeId, query.metrics)
      const { meta, series } = await read({ kind: ownerKinds.node, ids }, query, latest)
      return { meta, metrics: series.map((one) => ({ node: resourceUri('nodes', one.ownerId), ...one.series })) }
    },
  }
}

type Latest = (ownerId: number) => Promise<readonly LatestSample[]>

async function seriesOf(
  reader: HistoryReader,
  owners: Owners,
  names: readonly string[],
  question: Question,
): Promise<readonly Series[]> {
  if (question.stepMs <= raw.stepMs)
    return (await reader.readings(owners, names, question)).map(({ ownerId, name, unit, times, values }) => ({
      ownerId,
      series: { metric_name: name, unit, times: times.map((time) => time / 1000), values: withNull(values) },
    }))
  return (await reader.points(owners, names, question)).map(({ ownerId, name, unit, buckets }) => {
    const { mean, minimum, maximum } = planesOf(buckets)
    const values = { mean: withNull(mean), min: withNull(minimum), max: withNull(maximum) }
    return { ownerId, series: { metric_name: name, unit, ...values } }
  })
}

/** A gap is null, never 0. */
function withNull(values: Iterable<number>): (number | null)[] {
  return Array.from(values, (value) => (Number.isNaN(value) ? null : value))
}

/** Appends the latest value of each series, so that it ends now and not minutes ago. */
async function addLatest(series: readonly Series[], question: Question, latest: Latest): Promise<void> {
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

async function metaOf(reader: HistoryReader, owners: Owners, question: Question): Promise<MetricHistoryMeta> {
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
