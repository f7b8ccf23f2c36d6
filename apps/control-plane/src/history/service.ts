import type { MetricHistory, NodeMetricHistory } from '@roost/api-types/rest'
import { resourceUri } from '@roost/api-types/rest'
import type { HistoryQuery, MetricHistoryService } from '@roost/api-types/rpc'
import { addLatest, metaOf, seriesOf } from './answers.js'
import type { Latest, LatestSample } from './answers.js'
import { ownerKinds } from './levels.js'
import { readQuestion } from './question.js'
import type { KeptFor } from './question.js'
import type { HistoryReader, Owners } from './reader.js'
import { readSparklines } from './sparklines.js'

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
    sparklines: (query) => readSparklines(options, query),
  }
}
