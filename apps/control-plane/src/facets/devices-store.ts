import { resources } from '@roost/api-types/rpc'
import type { DeviceService } from '@roost/api-types/rpc'
import type { Database } from '../database/database.js'
import { facetCounter } from '../database/facets.js'

/** Counts devices by what their list is filtered by most. */
export function createDeviceFacets(database: Database): DeviceService['facets'] {
  return facetCounter(database, resources.devices, {
    from: `devices one join nodes node on node.id = one.node_id join clusters cluster on cluster.id = one.cluster_id
      left join (select p.device_id, array_agg(policy.name) as names from device_policies p
        join storage_policies policy on policy.id = p.policy_id group by p.device_id) policies on policies.device_id = one.id`,
    compared: {
      id: 'one.id',
      id__gt: 'one.id',
      q: (patterns) => `(one.name ilike any(${patterns}::text[]) or one.serial ilike any(${patterns}::text[])
        or one.mount_point ilike any(${patterns}::text[]) or node.hostname ilike any(${patterns}::text[]))`,
      node: 'one.node_id',
      node__id: 'one.node_id',
      node__hostname: 'node.hostname',
      cluster: 'one.cluster_id',
      cluster__id: 'one.cluster_id',
      cluster__name: 'cluster.name',
      cluster__uuid: 'cluster.uuid',
      status: 'one.status',
      name: 'one.name',
      policy: (names) => `policies.names && ${names}::text[]`,
    },
    facets: { status: 'one.status', policy: 'policies.names' },
    lists: ['policy'],
  })
}
