import { clusterRules, resourceUri } from '@roost/api-types/rest'
import type { Cluster, ClusterInput } from '@roost/api-types/rest'
import type { Prisma } from '@roost/database'
import type { Transaction } from '../database/transaction.js'
import { countRows } from '../database/count-rows.js'
import type { Database } from '../database/database.js'
import { lockInserts } from '../database/insert-order.js'
import { conditions, ordering } from '../database/listing.js'
import type { FilterTable, OrderTable } from '../database/listing.js'
import type { ReadStore } from '../services/reads.js'

export interface ClusterStore extends ReadStore<Cluster> {
  /** Keeps others from changing the row until the transaction ends. */
  findForUpdate(tx: Transaction, id: number): Promise<Cluster | undefined>
  /** Undefined when the name is taken. */
  insert(tx: Transaction, input: ClusterInput): Promise<Cluster | undefined>
  update(tx: Transaction, id: number, input: ClusterInput): Promise<Cluster | undefined>
  countNodes(tx: Transaction, id: number): Promise<number>
  countUsers(tx: Transaction, id: number): Promise<number>
  delete(tx: Transaction, id: number): Promise<void>
}

type Row = Prisma.ClusterGetPayload<object>

const filters: FilterTable<typeof clusterRules, Prisma.ClusterWhereInput> = {
  id: (ids) => ({ id: { in: ids } }),
  name: (names) => ({ name: { in: names } }),
  uuid: (uuids) => ({ uuid: { in: uuids } }),
}

const orders: OrderTable<typeof clusterRules, Prisma.ClusterOrderByWithRelationInput> = {
  id: (id) => ({ id }),
  name: (name) => ({ name }),
  uuid: (uuid) => ({ uuid }),
}

export function createClusterStore(database: Database): ClusterStore {
  const { prisma } = database
  return {
    async list(query) {
      const where = { AND: conditions(clusterRules, filters, query.filters) }
      const orderBy = ordering(clusterRules, orders, query.order)
      const [rows, total] = await Promise.all([
        prisma.cluster.findMany({ where, orderBy, skip: query.offset, take: query.limit }),
        countRows(database, 'clusters', where.AND, () => prisma.cluster.count({ where })),
      ])
      return { objects: rows.map(recordOf), total }
    },
    async find(id) {
      const row = await prisma.cluster.findUnique({ where: { id } })
      return row === null ? undefined : recordOf(row)
    },
    async findMany(ids) {
      return (await prisma.cluster.findMany({ where: { id: { in: [...ids] } } })).map(recordOf)
    },
    async findForUpdate(tx, id) {
      await tx.$queryRaw`select id from clusters where id = ${id} for update`
      const row = await tx.cluster.findUnique({ where: { id } })
      return row === null ? undefined : recordOf(row)
    },
    async insert(tx, { name }) {
      await lockInserts(tx, 'clusters')
      if ((await tx.cluster.count({ where: { name } })) > 0) return undefined
      return recordOf(await tx.cluster.create({ data: { name } }))
    },
    async update(tx, id, { name }) {
      await lockInserts(tx, 'clusters')
      if ((await tx.cluster.count({ where: { name, id: { not: id } } })) > 0) return undefined
      return recordOf(await tx.cluster.update({ where: { id }, data: { name } }))
    },
    countNodes: (tx, id) => tx.node.count({ where: { clusterId: id } }),
    countUsers: (tx, id) => tx.user.count({ where: { clusterId: id } }),
    async delete(tx, id) {
      await tx.cluster.delete({ where: { id } })
    },
  }
}

function recordOf({ id, name, uuid }: Row): Cluster {
  return { id, name, resource_uri: resourceUri('clusters', id), uuid }
}
