import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../client.js'
import type { Filters } from './filters.js'

/** How many devices match. */
export const deviceCount = (filters: Filters) =>
  queryOptions({
    queryKey: ['devices', 'count', filters],
    queryFn: async ({ signal }) => (await rpc.devices.list.query({ filters, limit: 1 }, { signal })).total,
    refetchInterval: 15_000,
  })
