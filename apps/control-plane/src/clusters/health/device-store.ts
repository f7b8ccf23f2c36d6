import type { DeviceStatus } from '@roost/api-types/rest'
import type { Database } from '../../database/database.js'

export interface UnhealthyDevice {
  readonly id: number
  readonly nodeId: number
  readonly name: string
  readonly status: DeviceStatus
  /** Names of its policies. */
  readonly policies: readonly string[]
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
