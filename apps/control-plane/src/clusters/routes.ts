import { ClusterHealth } from '@roost/api-types/rest'
import type { ClusterHealthService } from '@roost/api-types/rpc'
import type { Route } from '../http/dialect/route.js'

export function clusterHealthRoutes(health: ClusterHealthService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'clusters/:id/health/',
      resource: 'clusters',
      summary:
        'Whether the rings agree, what waits, how old the oldest replication pass is, what is quarantined or unmounted',
      status: 200,
      answer: ClusterHealth,
      handle: ({ id }) => health.ofCluster(id),
    },
  ]
}
