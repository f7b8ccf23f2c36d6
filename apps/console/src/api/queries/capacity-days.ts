import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../client.js'
import type { inferOutput } from './output.js'

export type CapacityDays = inferOutput<typeof rpc.clusters.capacityHistory.query>

/** The last days of each set of policies. */
export const capacityDays = (id: number, days: number) =>
  queryOptions({
    queryKey: ['capacity', 'days', id, days],
    queryFn: ({ signal }) =>
      rpc.clusters.capacityHistory.query(
        { id, start: new Date(Date.now() - days * 86_400_000).toISOString() },
        { signal },
      ),
    staleTime: 60_000,
  })
