import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../client.js'

/** The last `seconds` of metrics of a node or a cluster, in at most `points` steps. */
export interface HistoryRange {
  readonly seconds: number
  readonly points: number
}

const refetchMs = 30_000

function range({ seconds, points }: HistoryRange) {
  return { start: new Date(Date.now() - seconds * 1000).toISOString(), max_points: points }
}

export const clusterHistory = (id: number, metrics: string[], last: HistoryRange) =>
  queryOptions({
    queryKey: ['history', 'cluster', id, metrics, last],
    queryFn: ({ signal }) => rpc.metrics.historyOfCluster.query({ id, metrics, ...range(last) }, { signal }),
    refetchInterval: refetchMs,
  })
