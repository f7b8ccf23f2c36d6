import { ClusterHealth, Explanations } from '@roost/api-types/rest'
import type { ClusterHealthService } from '@roost/api-types/rpc'
import type { Route } from '../http/dialect/route.js'

export function clusterHealthRoutes(health: ClusterHealthService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'clusters/:id/health/',
      resource: 'clusters',
      summary:
        'Health of a cluster: agreement of rings and policies, pending updates, oldest replication passes, quarantined items, unmounted devices',
      status: 200,
      answer: ClusterHealth,
      handle: ({ id }) => health.ofCluster(id),
    },
    {
      method: 'GET',
      path: 'clusters/:id/health/explain/',
      resource: 'clusters',
      summary: 'Of which nodes the health of a cluster is made, which are left out, and why',
      status: 200,
      answer: Explanations,
      handle: ({ id }) => health.explain(id),
    },
  ]
}
