import { deviceRules, resourceUri, throughCluster } from '@roost/api-types/rest'
import type { Device, DeviceStatus } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { ListQuery } from '@roost/api-types/rpc'
import { percentUsed, usageOf } from '@roost/capacity-core'
import type { Prisma } from '@roost/database'
import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'
import { byCluster, conditions, isWithin } from '../database/listing.js'
import type { FilterTable } from '../database/listing.js'
import { tableStore } from '../database/table-store.js'
import type { ReadStore } from '../services/reads.js'

type Row = Prisma.DeviceGetPayload<object>

/** The filters under which the total is known without counting. */
const counted = { ...deviceRules, filters: throughCluster } as const
const countFilters: FilterTable<typeof counted, Prisma.DeviceCountWhereInput> = byCluster

export function createDeviceStore(database: Database): ReadStore<Device> {
  const table = tableStore(database, resources.devices, {
    model: 'Device',
    conditions: { policy: (names: string[]) => ({ policies: { some: { policy: { name: { in: names } } } } }) },
    total: (filters) => (isWithin(counted, filters) ? countedTotal(database, filters) : undefined),
    recordOf,
  })
  const withPolicies = async (devices: readonly Device[]): Promise<Device[]> => {
    const policies = await policiesOf(
      database,
      devices.map(({ id }) => id),
    )
    return devices.map((device) => ({ ...device, policies: policies.get(device.id) ?? [] }))
  }
  return {
    async list(query) {
      const { objects, total } = await table.list(query)
      return { objects: await withPolicies(objects), total }
    },
    async find(id) {
      const device = await table.find(id)
      return device === undefined ? undefined : (await withPolicies([device]))[0]
    },
    findMany: async (ids) => withPolicies(await table.findMany(ids)),
  }
}

async function countedTotal({ prisma }: Database, filters: ListQuery['filters']): Promise<number> {
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

/** Its policies are added for a page at once. */
function recordOf(row: Row): Device {
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
    ...usageFields(row),
    status: row.status as DeviceStatus,
    policies: [],
    last_seen: row.lastSeen?.toISOString() ?? null,
  }
}

type UsageFields = Pick<Device, 'raw_bytes' | 'used_bytes' | 'free_bytes' | 'used_pct'>

function usageFields({ totalBytes, freeBytes, availableBytes }: Row): UsageFields {
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
