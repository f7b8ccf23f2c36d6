import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../client.js'
import type { ListSource } from '../use-pages.js'
import type { Filters } from './filters.js'
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

export const alertList = (filters: Filters, order: string): ListSource<AlertRecord> => ({
  key: ['alerts', filters, order],
  read: (slice, signal) => rpc.alerts.list.query({ filters, order_by: order.split(','), ...slice }, { signal }),
})

export const alert = (id: number) =>
  queryOptions({
    queryKey: ['alerts', 'one', id],
    queryFn: ({ signal }) => rpc.alerts.get.query({ id }, { signal }),
    refetchInterval: 15_000,
  })
