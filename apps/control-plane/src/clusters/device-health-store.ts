import type { DeviceStatus } from '@roost/api-types/rest'
import type { Database } from '../database/database.js'

export interface UnhealthyDevice {
  readonly id: number
  readonly nodeId: number
  readonly name: string
  readonly status: DeviceStatus
  /** Names of its policies. */
  readonly policies: readonly string[]
}

/** A node with devices that are nearly full. */
export interface FullDevices {
  readonly nodeId: number
  readonly devices: number
  /** The name of the fullest. */
  readonly fullest: string
  readonly usedPercent: number
}

/** A device with weight 0 in all of its rings. Its bytes are null until its filesystem was read. */
export interface StoredDrainedDevice {
  readonly id: number
  readonly nodeId: number
  readonly name: string
  readonly rawBytes: number | null
  readonly usedBytes: number | null
}

export interface DeviceHealthStore {
  /** Devices that their rings give no data any more, by node and name. */
  listDrainedDevices(clusterId: number): Promise<readonly StoredDrainedDevice[]>
  /** Devices that hold nothing now, by node and name. */
  listUnhealthyDevices(clusterId: number): Promise<readonly UnhealthyDevice[]>
  /** Nodes with devices that work and have so much of their space in use. */
  listFullDevices(clusterId: number, leastPercent: number): Promise<readonly FullDevices[]>
}

export function createDeviceHealthStore(prisma: Database['prisma']): DeviceHealthStore {
  return {
    listDrainedDevices: (clusterId) => prisma.$queryRaw`
      select d.id, d.node_id as "nodeId", d.name,
        (u.total_bytes - u.free_bytes + u.available_bytes)::float8 as "rawBytes",
        (u.total_bytes - u.free_bytes)::float8 as "usedBytes"
      from devices d left join device_usage u on u.device_id = d.id
      where d.cluster_id = ${clusterId} and d.rings <> '[]' and not jsonb_path_exists(d.rings, '$[*].weight ? (@ > 0)')
      order by d.node_id, d.name, d.id`,
    listFullDevices: (clusterId, leastPercent) => prisma.$queryRaw`
      select node_id as "nodeId", count(*)::int as devices, max(percent) as "usedPercent",
        (array_agg(name order by percent desc, name))[1] as fullest
      from (
        select d.node_id, d.name, (used * 100.0 / nullif(used + u.available_bytes, 0))::float8 as percent
        from devices d join device_usage u on u.device_id = d.id, lateral (select u.total_bytes - u.free_bytes as used) as s
        where d.cluster_id = ${clusterId} and d.agent_key is not null and d.status = 'ok'
      ) as working
      where percent >= ${leastPercent}
      group by node_id order by node_id`,
    async listUnhealthyDevices(clusterId) {
      const rows = await prisma.device.findMany({
        // One that its node no longer names is not expected there any more.
        where: { clusterId, agentKey: { not: null }, status: { in: ['unmounted', 'missing', 'failed'] } },
        select: {
          id: true,
          nodeId: true,
          name: true,
          status: true,
          policies: { select: { policy: { select: { name: true } } } },
        },
        orderBy: [{ nodeId: 'asc' }, { name: 'asc' }, { id: 'asc' }],
      })
      return rows.map(({ policies, ...row }) => ({
        ...row,
        status: row.status as DeviceStatus,
        policies: policies.map(({ policy }) => policy.name),
      }))
    },
  }
}
