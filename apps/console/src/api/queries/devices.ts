import { byNames } from '@roost/api-types/browser'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'
import type { ListSource } from '../use-pages.js'
import type { Filters } from './filters.js'
import type { inferOutput } from './output.js'

export type DeviceRecord = inferOutput<typeof rpc.devices.get.query>
export type NodeFullness = NonNullable<inferOutput<typeof rpc.capacity.fullness.query>['nodes']>[number]

export const deviceList = (filters: Filters, order: string): ListSource<DeviceRecord> => ({
  name: 'devices',
  key: ['devices', filters, order],
  read: (slice, signal) => rpc.devices.list.query(byNames({ filters, order_by: [order], ...slice }), { signal }),
})

/** How many devices have which status and policy, each under the filter of the other. */
export const deviceFacets = (filters: Filters) =>
  queryOptions({
    queryKey: ['devices', 'facets', filters],
    queryFn: ({ signal }) => rpc.devices.facets.query(byNames({ filters }), { signal }),
    placeholderData: keepPreviousData,
    refetchInterval,
  })

/** How many devices are how full; with `byNode` also each device. */
export const fullnessOf = (id: number, byNode = false) =>
  queryOptions({
    queryKey: ['fullness', id, byNode],
    queryFn: ({ signal }) => rpc.capacity.fullness.query({ id, step: 5, by_node: byNode }, { signal }),
    // The server visits every device for it.
    refetchInterval: 300_000,
  })
