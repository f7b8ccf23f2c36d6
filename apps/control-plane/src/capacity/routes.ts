import { Capacity, CapacityForecast } from '@roost/api-types/rest'
import type { CapacityService } from '@roost/api-types/rpc'
import type { Route } from '../http/dialect/route.js'

export function capacityRoutes(capacity: CapacityService): readonly Route[] {
  return [
    {
      method: 'GET',
      path: 'clusters/:id/capacity/list/',
      resource: 'clusters',
      summary: 'Capacity of a cluster by set of storage policies',
      status: 200,
      answer: Capacity,
      handle: ({ id }) => capacity.ofCluster(id),
    },
    {
      method: 'GET',
      path: 'clusters/:id/capacity/forecast/',
      resource: 'clusters',
      summary: 'Days until a cluster is full, by set of storage policies',
      status: 200,
      answer: CapacityForecast,
      handle: ({ id }) => capacity.forecast(id),
    },
  ]
}
