import { deviceRules, resourceUri } from '@roost/api-types/rest'
import type { Device, DeviceStatus } from '@roost/api-types/rest'
import { percentUsed, usageOf } from '@roost/capacity-core'
import type { Prisma } from '@roost/database'
import type { Database } from '../db.js'
import { conditions, ordering } from '../listing.js'
import type { FilterTable, OrderTable } from '../listing.js'
import type { ReadStore } from '../reads.js'

const include = {
  policies: { select: { policy: { select: { name: true } } }, orderBy: { policy: { index: 'asc' } } },
} as const satisfies Prisma.DeviceInclude
type Row = Prisma.DeviceGetPayload<{ include: typeof include }>

const filters: FilterTable<typeof deviceRules, Prisma.DeviceWhereInput> = {
  id: (ids) => ({ id: { in: ids } }),
  node: (ids) => ({ nodeId: { in: ids } }),
  node__id: (ids) => ({ nodeId: { in: ids } }),
  node__hostname: (names) => ({ node: { hostname: { in: names } } }),
  cluster: (ids) => ({ clusterId: { in: ids } }),
  cluster__id: (ids) => ({ clusterId: { in: ids } }),
  cluster__name: (names) => ({ cluster: { name: { in: names } } }),
  cluster__uuid: (uuids) => ({ cluster: { uuid: { in: uuids } } }),
  status: (states) => ({ status: { in: states } }),
  name: (names) => ({ name: { in: names } }),
  policy: (names) => ({ policies: { some: { policy: { name: { in: names } } } } }),
}

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

export function createDeviceStore({ prisma }: Database): ReadStore<Device> {
  return {
    async list(query) {
      const where = { AND: conditions(deviceRules, filters, query.filters) }
      const orderBy = ordering(deviceRules, orders, query.order)
      const [rows, total] = await Promise.all([
        prisma.device.findMany({ where, orderBy, skip: query.offset, take: query.limit, include }),
        prisma.device.count({ where }),
      ])
      return { objects: rows.map(recordOf), total }
    },
    async find(id) {
      const row = await prisma.device.findUnique({ where: { id }, include })
      return row === null ? undefined : recordOf(row)
    },
    async findMany(ids) {
      return (await prisma.device.findMany({ where: { id: { in: [...ids] } }, include })).map(recordOf)
    },
  }
}

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
    ...figuresOf(row),
    status: row.status as DeviceStatus,
    policies: row.policies.map(({ policy }) => policy.name),
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
