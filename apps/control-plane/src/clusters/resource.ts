import { Cluster, clusterRules } from '@roost/api-types/rest'
import type { ClusterService } from '@roost/api-types/rpc'
import type { Resource } from '../http/dialect/resource.js'

export function clustersResource(reads: ClusterService): Resource {
  return {
    name: 'clusters',
    description: 'clusters of nodes; they are made and removed by the command line and tRPC',
    record: Cluster,
    rules: clusterRules,
    reads,
  }
}
