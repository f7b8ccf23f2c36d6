import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../client.js'
import type { inferOutput } from './output.js'

export type AlertRecord = inferOutput<typeof rpc.alerts.get.query>

/** What needs a person now, the worst first. */
export const openAlerts = (cluster: number) =>
  queryOptions({
    queryKey: ['alerts', 'open', cluster],
    queryFn: ({ signal }) =>
      rpc.alerts.list.query(
        { filters: { cluster, state: ['firing', 'unknown'] }, order_by: ['severity', '-fired_at'], limit: 50 },
        { signal },
      ),
    refetchInterval: 15_000,
  })
