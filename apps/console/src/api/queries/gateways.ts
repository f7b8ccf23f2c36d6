import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'
import { idIn } from '../uri.js'

/** Nodes of a cluster that serve shares, or that users are deployed to. More than these are not in a cluster. */
const most = 1000

const nodesOfRole = (cluster: number, role: 'runs_gateway' | 'runs_proxy') =>
  queryOptions({
    queryKey: ['nodes', role, cluster],
    queryFn: ({ signal }) => readRole(cluster, role, signal),
    refetchInterval,
  })

async function readRole(cluster: number, role: 'runs_gateway' | 'runs_proxy', signal: AbortSignal) {
  const filters = { cluster, [role]: true }
  return (await rpc.nodes.list.query({ filters, order_by: ['hostname'], limit: most }, { signal })).objects
}

export const gateways = (cluster: number) => nodesOfRole(cluster, 'runs_gateway')
export const proxies = (cluster: number) => nodesOfRole(cluster, 'runs_proxy')

/** The gateways of the cluster of a node. */
export const gatewaysBeside = (node: number) =>
  queryOptions({
    queryKey: ['nodes', 'beside', node],
    queryFn: async ({ signal }) =>
      readRole(idIn((await rpc.nodes.get.query({ id: node }, { signal })).cluster), 'runs_gateway', signal),
    refetchInterval,
  })
