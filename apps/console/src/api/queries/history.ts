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

/** The least time between two readings of a chart's history. */
const refetchMs = 30_000
/** Agents report every ten seconds. */
const [pollMs, longestPollMs] = [10_000, 60_000]
/** The readings that agents have not sent as history yet: they do so every few minutes. */
const keptPolls = 60

/** What a step of a chart stands for. More often than that nothing in it changes, but for its end. */
function stepMs({ seconds, points }: HistoryRange): number {
  return (seconds * 1_000) / points
}

export const history = ({ of, id }: Source, metrics: string[], range: HistoryRange) =>
  queryOptions({
    queryKey: ['history', of, id, metrics, range.seconds, range.points],
    queryFn: ({ signal }) => {
      const { seconds, points } = range
      const start = new Date(Date.now() - seconds * 1000).toISOString()
      const input = { id, metrics, start, max_points: points }
      const { historyOfNode, historyOfCluster } = rpc.metrics
      return (of === 'node' ? historyOfNode : historyOfCluster).query(input, { signal })
    },
    refetchInterval: Math.max(refetchMs, stepMs(range) / 2),
  })

/** The polls of the last minutes, the latest last. Each adds to those that are there. */
export const livePolls = ({ of, id }: Source, metrics: string[], range: HistoryRange) =>
  queryOptions({
    queryKey: ['live', of, id, metrics],
    queryFn: async ({ client, queryKey, signal }): Promise<readonly Samples[]> => {
      const { pollNode, pollCluster } = rpc.metrics
      const { metrics: samples } = await (of === 'node' ? pollNode : pollCluster).query({ id, metrics }, { signal })
      const earlier = client.getQueryData<readonly Samples[]>(queryKey) ?? []
      return [...earlier.slice(1 - keptPolls), samples]
    },
    refetchInterval: Math.min(longestPollMs, Math.max(pollMs, stepMs(range) / 10)),
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
