import { ClusterSummary } from '@roost/api-types/rest'
import type { ClusterSummaryService } from '@roost/api-types/rpc'
import type { Route } from '../http/dialect/route.js'

export function summaryRoutes(summaries: ClusterSummaryService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'clusters/:id/summary/',
      resource: 'clusters',
      summary: 'Nodes by state, devices by status, the verdict of the health and unfinished jobs of a cluster',
      status: 200,
      answer: ClusterSummary,
      handle: ({ id }) => summaries.ofCluster(id),
    },
  ]
}
