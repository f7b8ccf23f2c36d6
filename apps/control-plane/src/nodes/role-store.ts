import { nodeRoleRules, resourceUri } from '@roost/api-types/rest'
import type { NodeRole } from '@roost/api-types/rest'
import type { Prisma } from '@roost/database'
import { countRows } from '../database/count-rows.js'
import type { Database } from '../database/database.js'
import { conditions, ordering } from '../database/listing.js'
import type { FilterTable, OrderTable } from '../database/listing.js'
import type { ReadStore } from '../services/reads.js'

type Row = Prisma.NodeRoleGetPayload<object>

const filters: FilterTable<typeof nodeRoleRules, Prisma.NodeRoleWhereInput> = {
  id: (ids) => ({ id: { in: ids } }),
  runs_account_container: (values) => ({ OR: values.map((runsAccountContainer) => ({ runsAccountContainer })) }),
  runs_gateway: (values) => ({ OR: values.map((runsGateway) => ({ runsGateway })) }),
  runs_object: (values) => ({ OR: values.map((runsObject) => ({ runsObject })) }),
  runs_proxy: (values) => ({ OR: values.map((runsProxy) => ({ runsProxy })) }),
}

const orders: OrderTable<typeof nodeRoleRules, Prisma.NodeRoleOrderByWithRelationInput> = { id: (id) => ({ id }) }

export function createNodeRoleStore(database: Database): ReadStore<NodeRole> {
  const { prisma } = database
  return {
    async list(query) {
      const where = { AND: conditions(nodeRoleRules, filters, query.filters) }
      const orderBy = ordering(nodeRoleRules, orders, query.order)
      const [rows, total] = await Promise.all([
        prisma.nodeRole.findMany({ where, orderBy, skip: query.offset, take: query.limit }),
        countRows(database, 'node_roles', where.AND, () => prisma.nodeRole.count({ where })),
      ])
      return { objects: rows.map(nodeRoleOf), total }
    },
    async find(id) {
      const row = await prisma.nodeRole.findUnique({ where: { id } })
      return row === null ? undefined : nodeRoleOf(row)
    },
    async findMany(ids) {
      return (await prisma.nodeRole.findMany({ where: { id: { in: [...ids] } } })).map(nodeRoleOf)
    },
  }
}

export function nodeRoleOf(row: Row): NodeRole {
  return {
    id: row.id,
    resource_uri: resourceUri('node_roles', row.id),
    runs_account_container: row.runsAccountContainer,
    runs_gateway: row.runsGateway,
    runs_object: row.runsObject,
    runs_proxy: row.runsProxy,
  }
}
