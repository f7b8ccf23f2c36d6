import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'

/** Nodes of a cluster that serve shares, or that users are deployed to. More than these are not in a cluster. */
const most = 1000

const nodesOfRole = (cluster: number, role: 'runs_gateway' | 'runs_proxy') =>
  queryOptions({
    queryKey: ['nodes', role, cluster],
    queryFn: async ({ signal }) =>
      (
        await rpc.nodes.list.query(
          { filters: { cluster, [role]: true }, order_by: ['hostname'], limit: most },
          { signal },
        )
      ).objects,
    refetchInterval,
  })

export const gateways = (cluster: number) => nodesOfRole(cluster, 'runs_gateway')
export const proxies = (cluster: number) => nodesOfRole(cluster, 'runs_proxy')
