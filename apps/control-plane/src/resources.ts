import type { Services } from '@roost/api-types/rpc'
import { auditEventsResource } from './audit/resource.js'
import { clustersResource } from './clusters/resource.js'
import { jobsResource } from './deployments/resource.js'
import { devicesResource } from './devices/resource.js'
import type { Resource } from './http/dialect/resource.js'
import { nodeRolesResource, nodesResource } from './nodes/resource.js'
import { storagePoliciesResource } from './policies/resource.js'
import { gatewaySharesResource } from './shares/resource.js'
import { usersResource } from './users/resource.js'

/** Every resource of the REST API, in the order of the index. */
export function resources(
  services: Pick<
    Services,
    | 'clusters'
    | 'nodes'
    | 'nodeRoles'
    | 'devices'
    | 'storagePolicies'
    | 'users'
    | 'gatewayShares'
    | 'gatewayDeployments'
    | 'userDbDeployments'
    | 'auditEvents'
  >,
): readonly Resource[] {
  return [
    clustersResource(services.clusters),
    nodesResource(services.nodes),
    nodeRolesResource(services.nodeRoles),
    devicesResource(services.devices),
    storagePoliciesResource(services.storagePolicies),
    usersResource(services.users),
    gatewaySharesResource(services.gatewayShares),
    jobsResource('gateway', services.gatewayDeployments),
    jobsResource('user_db', services.userDbDeployments),
    auditEventsResource(services.auditEvents),
  ]
}
