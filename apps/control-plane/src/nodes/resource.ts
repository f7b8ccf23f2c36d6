import { Node, NodeChange, NodeRole, nodeRoleRules, nodeRules } from '@roost/api-types/rest'
import type { NodeService, Reads } from '@roost/api-types/rpc'
import type { Resource } from '../http/dialect/resource.js'

export function nodesResource(service: NodeService): Resource<never, NodeChange> {
  return {
    name: 'nodes',
    description: 'machines with an agent; enrolment makes them',
    record: Node,
    rules: nodeRules,
    reads: service,
    change: {
      body: NodeChange,
      run: (id, change, caller, options) => service.change(id, change, caller, options),
    },
    changeMany: (changes, caller) => service.changeMany(changes, caller),
    changeAliases: ['node'],
  }
}

export function nodeRolesResource(reads: Reads<NodeRole>): Resource {
  return {
    name: 'node_roles',
    description: 'what a node runs; changed by its node',
    record: NodeRole,
    rules: nodeRoleRules,
    reads,
  }
}
