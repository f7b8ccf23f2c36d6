import { byNames } from '@roost/api-types/browser'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'
import type { ListSource } from '../use-pages.js'
import type { inferOutput } from './output.js'
import type { Filters } from './filters.js'

export type NodeRecord = inferOutput<typeof rpc.nodes.get.query>

export const nodeList = (filters: Filters, order: string): ListSource<NodeRecord> => ({
  name: 'nodes',
  key: ['nodes', filters, order],
  read: (slice, signal) => rpc.nodes.list.query(byNames({ filters, order_by: [order], ...slice }), { signal }),
})

/** How many nodes have which state, role and version, each under the filters of the others. */
export const nodeFacets = (filters: Filters) =>
  queryOptions({
    queryKey: ['nodes', 'facets', filters],
    queryFn: ({ signal }) => rpc.nodes.facets.query(byNames({ filters }), { signal }),
    placeholderData: keepPreviousData,
    refetchInterval,
  })

/** The newest nodes of a cluster with ids above one, which is the newest of before. */
export const nodesAfter = (cluster: number, id: number) =>
  queryOptions({
    queryKey: ['nodes', 'after', cluster, id],
    queryFn: async ({ signal }) => {
      const query = { filters: { cluster }, order_by: ['-id'], limit: 100 } as const
      return (await rpc.nodes.list.query(query, { signal })).objects.filter((node) => node.id > id)
    },
    refetchInterval,
  })
