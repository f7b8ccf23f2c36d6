import { resourceUri } from '@roost/api-types/rest'
import type { NodeRole } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Database } from '../database/database.js'
import { tableStore } from '../database/table-store.js'
import type { ReadStore } from '../services/reads.js'

export function createNodeRoleStore(database: Database): ReadStore<NodeRole> {
  return tableStore(database, resources.nodeRoles, { model: 'NodeRole' })
}

export function nodeRoleOf(row: Prisma.NodeRoleGetPayload<object>): NodeRole {
  return {
    id: row.id,
    resource_uri: resourceUri('node_roles', row.id),
    runs_account_container: row.runsAccountContainer,
    runs_gateway: row.runsGateway,
    runs_object: row.runsObject,
    runs_proxy: row.runsProxy,
  }
}
