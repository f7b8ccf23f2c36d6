import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'

/** The nodes of a cluster that differ from what was deployed, with the numbers of differences. */
export const driftedNodes = (cluster: number, limit: number) =>
  queryOptions({
    queryKey: ['drift', 'nodes', cluster, limit],
    queryFn: ({ signal }) => rpc.drift.list.query({ cluster, limit }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval,
  })

export type DriftedNode = Awaited<ReturnType<typeof rpc.drift.list.query>>['objects'][number]

export const drift = (node: number) =>
  queryOptions({
    queryKey: ['drift', node],
    queryFn: ({ signal }) => rpc.drift.get.query({ id: node }, { signal }),
    refetchInterval,
  })
