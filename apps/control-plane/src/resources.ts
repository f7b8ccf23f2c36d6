import { DeviceFacets, NodeFacets } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { ResourceName, Services } from '@roost/api-types/rpc'
import { receiverActions } from './alerts/delivery/receiver-resource.js'
import { jobActions } from './deployments/resource.js'
import { resourceOf } from './http/dialect/resource.js'
import type { Resource } from './http/dialect/resource.js'
import { upgradeActions } from './upgrades/resource.js'

/** Every resource of the REST API, in the order of the index. What only one resource has is added here. */
export function restResources(services: Services): readonly Resource[] {
  const more: Partial<Record<ResourceName, Partial<Resource>>> = {
    nodes: {
      changeMany: (changes, caller) => services.nodes.changeMany(changes as never, caller),
      changeAliases: ['node'],
      facets: { answer: NodeFacets, run: (filters) => services.nodes.facets(filters) },
    },
    devices: { facets: { answer: DeviceFacets, run: (filters) => services.devices.facets(filters) } },
    gatewayDeployments: jobActions(services.gatewayDeployments),
    userDbDeployments: jobActions(services.userDbDeployments),
    agentUpgrades: upgradeActions(services.agentUpgrades),
    alertReceivers: receiverActions(services.alertReceivers),
  }
  const names = Object.keys(resources) as ResourceName[]
  return names.flatMap((name) => {
    const resource = resourceOf(resources[name], services[name])
    return resource === undefined ? [] : [{ ...resource, ...more[name] }]
  })
}
