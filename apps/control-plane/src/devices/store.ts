import { deviceRules, resourceUri, throughCluster } from '@roost/api-types/rest'
import type { Device, DeviceStatus } from '@roost/api-types/rest'
import type { ListQuery } from '@roost/api-types/rpc'
import { percentUsed, usageOf } from '@roost/capacity-core'
import type { Prisma } from '@roost/database'
import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'
import { byCluster, byNode, conditions, isWithin, ordering } from '../database/listing.js'
import type { FilterTable, OrderTable } from '../database/listing.js'
import type { ReadStore } from '../services/reads.js'

type Row = Prisma.DeviceGetPayload<object>

const filters: FilterTable<typeof deviceRules, Prisma.DeviceWhereInput> = {
  id: (ids) => ({ id: { in: ids } }),
  ...byNode,
  ...byCluster,
  status: (states) => ({ status: { in: states } }),
  name: (names) => ({ name: { in: names } }),
  policy: (names) => ({ policies: { some: { policy: { name: { in: names } } } } }),
}

/** The filters under which the total is known without counting. */
const counted = { ...deviceRules, filters: throughCluster } as const
const countFilters: FilterTable<typeof counted, Prisma.DeviceCountWhereInput> = byCluster

const orders: OrderTable<typeof deviceRules, Prisma.DeviceOrderByWithRelationInput> = {
  id: (id) => ({ id }),
  name: (name) => ({ name }),
  node: (nodeId) => ({ nodeId }),
  cluster: (clusterId) => ({ clusterId }),
  status: (status) => ({ status }),
  serial: (serial) => ({ serial }),
  size_bytes: (sizeBytes) => ({ sizeBytes }),
  last_seen: (lastSeen) => ({ lastSeen }),
}

export function createDeviceStore(database: Database): ReadStore<Device> {
  const { prisma } = database
  const recordsOf = async (rows: readonly Row[]) => {
    const policies = await policiesOf(
      database,
      rows.map(({ id }) => id),
    )
    return rows.map((row) => recordOf(row, policies.get(row.id) ?? []))
  }
  return {
    async list(query) {
      const where = { AND: conditions(deviceRules, filters, query.filters) }
      const orderBy = ordering(deviceRules, orders, query.order)
      const [objects, total] = await Promise.all([
        prisma.device.findMany({ where, orderBy, skip: query.offset, take: query.limit }).then(recordsOf),
        isWithin(counted, query.filters) ? countedTotal(prisma, query.filters) : prisma.device.count({ where }),
      ])
      return { objects, total }
    },
    async find(id) {
      const row = await prisma.device.findUnique({ where: { id } })
      return row === null ? undefined : (await recordsOf([row]))[0]
    },
    findMany: (ids) => prisma.device.findMany({ where: { id: { in: [...ids] } } }).then(recordsOf),
  }
}

async function countedTotal(prisma: Database['prisma'], filters: ListQuery['filters']): Promise<number> {
  const where = { AND: conditions(counted, countFilters, filters) }
  const { _sum: sum } = await prisma.deviceCount.aggregate({ _sum: { devices: true }, where })
  return sum.devices ?? 0
}

/** The names of each device's policies, in the order of their indexes. */
async function policiesOf(database: Database, ids: readonly number[]): Promise<ReadonlyMap<number, string[]>> {
  const rows = await queryRows<{ readonly id: number; readonly names: string[] }>(
    database,
    `select d.device_id as id, array_agg(p.name order by p.index) as names
       from device_policies d join storage_policies p on p.id = d.policy_id
      where d.device_id = any($1) group by d.device_id`,
    [ids],
  )
  return new Map(rows.map(({ id, names }) => [id, names]))
}

function recordOf(row: Row, policies: string[]): Device {
  return {
    id: row.id,
    resource_uri: resourceUri('devices', row.id),
    node: resourceUri('nodes', row.nodeId),
    cluster: resourceUri('clusters', row.clusterId),
    name: row.name,
    uuid: row.fsUuid,
    serial: row.serial,
    model: row.model,
    mount_point: row.mountPoint,
    fs_type: row.fsType,
    is_rotational: row.isRotational,
    size_bytes: row.sizeBytes === null ? null : Number(row.sizeBytes),
    ...figuresOf(row),
    status: row.status as DeviceStatus,
    policies,
    last_seen: row.lastSeen?.toISOString() ?? null,
  }
}

type Figures = Pick<Device, 'raw_bytes' | 'used_bytes' | 'free_bytes' | 'used_pct'>

function figuresOf({ totalBytes, freeBytes, availableBytes }: Row): Figures {
  if (totalBytes === null || freeBytes === null || availableBytes === null)
    return { raw_bytes: null, used_bytes: null, free_bytes: null, used_pct: null }
  const usage = usageOf({
    totalBytes: Number(totalBytes),
    freeBytes: Number(freeBytes),
    availableBytes: Number(availableBytes),
  })
  return {
    raw_bytes: usage.rawBytes,
    used_bytes: usage.usedBytes,
    free_bytes: usage.freeBytes,
    used_pct: percentUsed(usage.usedBytes, usage.rawBytes),
  }
}
