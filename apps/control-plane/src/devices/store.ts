import type { InventoryDeviceRing } from '@roost/api-types/agent'
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
import { containing, partOf } from '../database/table-fields.js'
import { tableStore } from '../database/table-store.js'
import type { TableStore } from '../database/table-store.js'

type Row = Prisma.DeviceGetPayload<object>

/** The usage of devices as it is in memory; undefined if no inventory names the device now. */
export type CurrentUsage = (id: number) => Usage | undefined

interface Usage {
  readonly figures: Space | null
  /** Unix seconds. */
  readonly time: number | null
}

interface Space {
  readonly total_bytes: number
  readonly free_bytes: number
  readonly available_bytes: number
}

/** The filters under which the total is known without counting. */
const counted = { ...deviceRules, filters: throughCluster } as const
const countFilters: FilterTable<typeof counted, Prisma.DeviceCountWhereInput> = byCluster

/** Devices can be removed; only inventories add and change them. */
export type DeviceStore = TableStore<Device, never, never>

/** Creates the store. Usage comes from memory, because the database gets it once in five minutes. */
export function createDeviceStore(database: Database, currentUsage: CurrentUsage): DeviceStore {
  const table = tableStore(database, resources.devices, {
    model: 'Device',
    conditions: {
      q: (texts: string[]) => ({
        OR: [
          partOf('name', 'serial', 'mountPoint')(texts),
          ...texts.map((text) => ({ node: { hostname: containing(text) } })),
        ],
      }),
      policy: (names: string[]) => ({ policies: { some: { policy: { name: { in: names } } } } }),
    },
    orders: {
      days_until_full: (direction: 'asc' | 'desc') => ({ forecast: { middle: { sort: direction, nulls: 'last' } } }),
      last_seen: (direction: 'asc' | 'desc') => ({ usage: { lastSeen: { sort: direction, nulls: 'last' } } }),
    },
    total: (filters) => (isWithin(counted, filters) ? countedTotal(database, filters) : undefined),
    recordOf,
  })
  const completed = async (devices: readonly Device[]): Promise<Device[]> => {
    const ids = devices.map(({ id }) => id)
    const [policies, usages, forecasts] = await Promise.all([
      policiesOf(database, ids),
      usagesOf(database, ids, currentUsage),
      forecastsOf(database, ids),
    ])
    return devices.map((device) => {
      const named = policies.get(device.id) ?? new Map<number, string>()
      const rings = device.rings.map((entry) => ({ ...entry, policy: named.get(indexOf(entry.ring) ?? -1) ?? null }))
      const days_until_full = forecasts.get(device.id) ?? null
      return { ...device, ...usageFields(usages.get(device.id)), days_until_full, policies: [...named.values()], rings }
    })
  }
  return {
    ...table,
    async findForUpdate(tx, id) {
      const device = await table.findForUpdate(tx, id)
      return device === undefined ? undefined : (await completed([device]))[0]
    },
    async list(query) {
      const { objects, total } = await table.list(query)
      return { objects: await completed(objects), total }
    },
    async find(id) {
      const device = await table.find(id)
      return device === undefined ? undefined : (await completed([device]))[0]
    },
    findMany: async (ids) => completed(await table.findMany(ids)),
  }
}

async function countedTotal({ prisma }: Database, filters: ListQuery['filters']): Promise<number> {
  const where = { AND: conditions(counted, countFilters, filters) }
  const { _sum: sum } = await prisma.deviceCount.aggregate({ _sum: { devices: true }, where })
  return sum.devices ?? 0
}

/** Returns the policy of an object ring; undefined for the rings of accounts and containers. */
function indexOf(ring: string): number | undefined {
  const match = /^object(?:-(\d+))?$/.exec(ring)
  return match === null ? undefined : Number(match[1] ?? 0)
}

interface PolicyNames {
  readonly id: number
  readonly indexes: readonly number[]
  readonly names: readonly string[]
}

/** Returns the names of each device's policies by index, in the order of their indexes. */
async function policiesOf(
  database: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ReadonlyMap<number, string>>> {
  const rows = await queryRows<PolicyNames>(
    database,
    `select d.device_id as id, array_agg(p.index order by p.index) as indexes, array_agg(p.name order by p.index) as names
       from device_policies d join storage_policies p on p.id = d.policy_id
      where d.device_id = any($1) group by d.device_id`,
    [ids],
  )
  return new Map(
    rows.map(({ id, indexes, names }) => [id, new Map(indexes.map((index, i) => [index, names[i] ?? '']))]),
  )
}

/** Returns the forecasts of devices that have one. */
async function forecastsOf(
  { prisma }: Database,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Device['days_until_full']>> {
  const rows = await prisma.deviceForecast.findMany({ where: { deviceId: { in: [...ids] }, middle: { not: null } } })
  return new Map(
    rows.map(({ deviceId, early, middle, late }) => [deviceId, { early: early ?? 0, middle: middle ?? 0, late }]),
  )
}

/** Its policies, its usage and its forecast are added for a page at once. */
function recordOf(row: Row): Device {
  const rings = row.rings as unknown as readonly InventoryDeviceRing[]
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
    ...usageFields(undefined),
    status: row.status as DeviceStatus,
    policies: [],
    rings: rings.map((entry) => ({ ...entry, policy: null })),
    is_drained: rings.length > 0 && rings.every(({ weight }) => weight === 0),
    days_until_full: null,
  }
}

type UsageFields = Pick<Device, 'raw_bytes' | 'used_bytes' | 'free_bytes' | 'used_pct' | 'last_seen'>

function usageFields(usage: Usage | undefined): UsageFields {
  const lastSeen = usage?.time == null ? null : new Date(usage.time * 1000).toISOString()
  if (!usage?.figures)
    return { raw_bytes: null, used_bytes: null, free_bytes: null, used_pct: null, last_seen: lastSeen }
  const { total_bytes: totalBytes, free_bytes: freeBytes, available_bytes: availableBytes } = usage.figures
  const { rawBytes, usedBytes, freeBytes: free } = usageOf({ totalBytes, freeBytes, availableBytes })
  return {
    raw_bytes: rawBytes,
    used_bytes: usedBytes,
    free_bytes: free,
    used_pct: percentUsed(usedBytes, rawBytes),
    last_seen: lastSeen,
  }
}

type StoredUsage = { readonly id: number; readonly time: number | null } & {
  readonly [K in keyof Space]: number | null
}

/** Returns the usage of devices: from memory, or as the database has it where no inventory names the device. */
async function usagesOf(
  database: Database,
  ids: readonly number[],
  currentUsage: CurrentUsage,
): Promise<ReadonlyMap<number, Usage>> {
  const usages = new Map<number, Usage>()
  for (const id of ids) {
    const usage = currentUsage(id)
    if (usage !== undefined) usages.set(id, usage)
  }
  const others = ids.filter((id) => !usages.has(id))
  if (others.length === 0) return usages
  const rows = await queryRows<StoredUsage>(
    database,
    `select device_id as id, total_bytes::float8, free_bytes::float8, available_bytes::float8,
            extract(epoch from last_seen)::float8 as time
       from device_usage where device_id = any($1)`,
    [others],
  )
  for (const row of rows) usages.set(row.id, { time: row.time, figures: spaceOf(row) })
  return usages
}

function spaceOf({ total_bytes, free_bytes, available_bytes }: StoredUsage): Space | null {
  if (total_bytes === null || free_bytes === null || available_bytes === null) return null
  return { total_bytes, free_bytes, available_bytes }
}
