import { byNames } from '@roost/api-types/browser'
import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'
import type { ListSource } from '../use-pages.js'
import type { Filters } from './filters.js'
import type { inferOutput } from './output.js'

export type ReceiverRecord = inferOutput<typeof rpc.alertReceivers.get.query>
export type DeliveryRecord = inferOutput<typeof rpc.alertDeliveries.get.query>

export const readReceivers: ListSource<ReceiverRecord>['read'] = (slice, signal) =>
  rpc.alertReceivers.list.query({ order_by: ['name'], ...slice }, { signal })

export const receivers = () =>
  queryOptions({
    queryKey: ['receivers', 'list'],
    queryFn: async ({ signal }) => (await readReceivers({ limit: 1000, offset: 0 }, signal)).objects,
    refetchInterval,
  })

export const deliveryList = (filters: Filters, order: string): ListSource<DeliveryRecord> => ({
  name: 'deliveries',
  key: ['receivers', 'deliveries', filters, order],
  read: (slice, signal) =>
    rpc.alertDeliveries.list.query(byNames({ filters, order_by: [order], ...slice }), { signal }),
})

export const delivery = (id: number) =>
  queryOptions({
    queryKey: ['receivers', 'delivery', id],
    queryFn: ({ signal }) => rpc.alertDeliveries.get.query({ id }, { signal }),
    refetchInterval,
  })
