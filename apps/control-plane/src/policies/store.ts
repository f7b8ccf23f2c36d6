import { resourceUri, storagePolicyRules } from '@roost/api-types/rest'
import type { StoragePolicy } from '@roost/api-types/rest'
import type { Prisma } from '@roost/database'
import { countRows } from '../database/count-rows.js'
import type { Database } from '../database/database.js'
import { byCluster, conditions, ordering } from '../database/listing.js'
import type { FilterTable, OrderTable } from '../database/listing.js'
import type { ReadStore } from '../services/reads.js'

type Row = Prisma.StoragePolicyGetPayload<object>

const filters: FilterTable<typeof storagePolicyRules, Prisma.StoragePolicyWhereInput> = {
  id: (ids) => ({ id: { in: ids } }),
  ...byCluster,
  index: (indexes) => ({ index: { in: indexes } }),
  name: (names) => ({ name: { in: names } }),
  is_default: (values) => ({ OR: values.map((isDefault) => ({ isDefault })) }),
}

const orders: OrderTable<typeof storagePolicyRules, Prisma.StoragePolicyOrderByWithRelationInput> = {
  id: (id) => ({ id }),
  cluster: (clusterId) => ({ clusterId }),
  index: (index) => ({ index }),
  name: (name) => ({ name }),
}

export function createStoragePolicyStore(database: Database): ReadStore<StoragePolicy> {
  const { prisma } = database
  return {
    async list(query) {
      const where = { AND: conditions(storagePolicyRules, filters, query.filters) }
      const orderBy = ordering(storagePolicyRules, orders, query.order)
      const [rows, total] = await Promise.all([
        prisma.storagePolicy.findMany({ where, orderBy, skip: query.offset, take: query.limit }),
        countRows(database, 'storage_policies', where.AND, () => prisma.storagePolicy.count({ where })),
      ])
      return { objects: rows.map(recordOf), total }
    },
    async find(id) {
      const row = await prisma.storagePolicy.findUnique({ where: { id } })
      return row === null ? undefined : recordOf(row)
    },
    async findMany(ids) {
      return (await prisma.storagePolicy.findMany({ where: { id: { in: [...ids] } } })).map(recordOf)
    },
  }
}

function recordOf({ id, clusterId, index, name, isDefault, isDeprecated, type }: Row): StoragePolicy {
  return {
    id,
    resource_uri: resourceUri('storage_policies', id),
    cluster: resourceUri('clusters', clusterId),
    index,
    name,
    is_default: isDefault,
    is_deprecated: isDeprecated,
    type,
  }
}
