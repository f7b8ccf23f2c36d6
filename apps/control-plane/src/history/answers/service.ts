import type { HistoryQuery, MetricHistoryService } from '@roost/api-types/rpc'
import { ownerKinds } from '../storage/levels.js'
import type { KeptFor } from '../storage/levels.js'
import { asHistory, asNodeHistory } from './lists.js'
import { readQuestion } from './question.js'
import type { HistoryReader, Owners } from './reader.js'
import { metaOf, seriesOf, withLatest } from './series.js'
import type { HistoryAnswer, Latest, LatestSample } from './series.js'
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

export interface HistoryReads extends MetricHistoryService {
  readonly nodeAnswer: (nodeId: number, query: HistoryQuery) => Promise<HistoryAnswer>
  readonly clusterAnswer: (clusterId: number, query: HistoryQuery) => Promise<HistoryAnswer>
  readonly acrossAnswer: (clusterId: number, query: HistoryQuery) => Promise<HistoryAnswer>
}

export function createHistoryService(options: HistoryServiceOptions): HistoryReads {
  const read = async (owners: Owners, query: HistoryQuery, latest: Latest): Promise<HistoryAnswer> => {
    const question = readQuestion(query, options.kept, options.now())
    const history = options.reader.of(owners)
    const series = await seriesOf(history, query.metrics, question)
    return {
      series: question.isOpen ? await withLatest(series, question, latest) : series,
      meta: await metaOf(history, question),
    }
  }
  const answers = {
    async nodeAnswer(nodeId: number, query: HistoryQuery) {
      await options.requireNode(nodeId)
      const latest = () => options.latestOfNode(nodeId, query.metrics)
      return read({ kind: ownerKinds.node, ids: [nodeId] }, query, latest)
    },
    async clusterAnswer(clusterId: number, query: HistoryQuery) {
      await options.requireCluster(clusterId)
      const latest = () => options.latestOfCluster(clusterId, query.metrics)
      return read({ kind: ownerKinds.cluster, ids: [clusterId] }, query, latest)
    },
    async acrossAnswer(clusterId: number, query: HistoryQuery) {
      const ids = options.nodesOf(clusterId)
      if (ids.length === 0) await options.requireCluster(clusterId)
      const latest = (nodeId: number) => options.latestOfNode(nodeId, query.metrics)
      return read({ kind: ownerKinds.node, ids }, query, latest)
    },
  }
  return {
    ...answers,
    ofNode: async (nodeId, query) => asHistory(await answers.nodeAnswer(nodeId, query)),
    ofCluster: async (clusterId, query) => asHistory(await answers.clusterAnswer(clusterId, query)),
    across: async (clusterId, query) => asNodeHistory(await answers.acrossAnswer(clusterId, query)),
    sparklines: (query) => readSparklines(options, query),
  }
}
