import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../client.js'
import type { inferOutput } from './output.js'

/** A node or a cluster. */
export interface Source {
  readonly of: 'node' | 'cluster'
  readonly id: number
}

/** The last `seconds` in at most `points` steps. */
export interface HistoryRange {
  readonly seconds: number
  readonly points: number
}

export type History = inferOutput<typeof rpc.metrics.historyOfCluster.query>
export type Samples = inferOutput<typeof rpc.metrics.pollNode.query>['metrics']

const refetchMs = 30_000
/** As agents report. */
const pollMs = 10_000
/** The readings that agents have not sent as history yet: they do so every few minutes. */
const keptPolls = 60

export const history = ({ of, id }: Source, metrics: string[], { seconds, points }: HistoryRange) =>
  queryOptions({
    queryKey: ['history', of, id, metrics, seconds, points],
    queryFn: ({ signal }) => {
      const start = new Date(Date.now() - seconds * 1000).toISOString()
      const input = { id, metrics, start, max_points: points }
      const { historyOfNode, historyOfCluster } = rpc.metrics
      return (of === 'node' ? historyOfNode : historyOfCluster).query(input, { signal })
    },
    refetchInterval: refetchMs,
  })

/** The polls of the last minutes, the latest last. Each adds to those that are there. */
export const livePolls = ({ of, id }: Source, metrics: string[]) =>
  queryOptions({
    queryKey: ['live', of, id, metrics],
    queryFn: async ({ client, queryKey, signal }): Promise<readonly Samples[]> => {
      const { pollNode, pollCluster } = rpc.metrics
      const { metrics: samples } = await (of === 'node' ? pollNode : pollCluster).query({ id, metrics }, { signal })
      const earlier = client.getQueryData<readonly Samples[]>(queryKey) ?? []
      return [...earlier.slice(1 - keptPolls), samples]
    },
    refetchInterval: pollMs,
    structuralSharing: false,
  })

export const metricNames = ({ of, id }: Source) =>
  queryOptions({
    queryKey: ['metric-names', of, id],
    queryFn: async ({ signal }) => {
      const { namesOfNode, namesOfCluster } = rpc.metrics
      const { metrics } = await (of === 'node' ? namesOfNode : namesOfCluster).query({ id }, { signal })
      return metrics.map(({ metric_name: name }) => name)
    },
    staleTime: 60_000,
  })
