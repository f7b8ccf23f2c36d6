import type { Database } from '../database/database.js'

/** A device as capacity needs it. Byte counts are exact below 2^53. */
export interface StoredDevice {
  readonly id: number
  readonly clusterId: number
  readonly nodeId: number
  /** By which the node's agent names it; null while it names it no more. */
  readonly key: string | null
  readonly status: string
  readonly totalBytes: number | null
  readonly freeBytes: number | null
  readonly availableBytes: number | null
  /** Indexes of its policies. */
  readonly policies: readonly number[]
}

/** The last usage of a device. */
export interface DeviceUsage {
  readonly id: number
  readonly nodeId: number
  readonly status: string
  readonly totalBytes: number | null
  readonly freeBytes: number | null
  readonly availableBytes: number | null
  /** Time of the reading, in Unix seconds. */
  readonly time: number
}

export interface CapacityStore {
  /** Devices of one node, or of all; those that are gone belong to no policy and are left out. */
  listDevices(nodeId?: number): Promise<readonly StoredDevice[]>
  listNodeIds(): Promise<readonly number[]>
  /** Names of a cluster's policies by index. */
  policyNames(clusterId: number): Promise<ReadonlyMap<number, string>>
  /** Writes all of them in one statement. Devices that are gone are passed over. */
  updateUsage(usages: readonly DeviceUsage[]): Promise<void>
}

export function createCapacityStore({ prisma }: Pick<Database, 'prisma'>): CapacityStore {
  return {
    async listDevices(nodeId) {
      const rows = await prisma.$queryRaw<StoredDevice[]>`
        select d.id, d.cluster_id as "clusterId", d.node_id as "nodeId", d.agent_key as key, d.status,
          d.total_bytes::float8 as "totalBytes", d.free_bytes::float8 as "freeBytes",
          d.available_bytes::float8 as "availableBytes",
          coalesce(array_agg(p.index) filter (where p.index is not null), '{}') as policies
        from devices d
        left join device_policies dp on dp.device_id = d.id
        left join storage_policies p on p.id = dp.policy_id
        where d.agent_key is not null and (${nodeId ?? null}::int is null or d.node_id = ${nodeId ?? null}::int)
        group by d.id`
      return rows
    },
    async listNodeIds() {
      const rows = await prisma.node.findMany({ select: { id: true } })
      return rows.map(({ id }) => id)
    },
    async policyNames(clusterId) {
      const rows = await prisma.storagePolicy.findMany({ where: { clusterId }, select: { index: true, name: true } })
      return new Map(rows.map(({ index, name }) => [index, name]))
    },
    async updateUsage(usages) {
      if (usages.length === 0) return
      const column = <K extends keyof DeviceUsage>(name: K) => usages.map((usage) => usage[name])
      // Locked in the order of the ids, as inventories are, so that neither waits for the other for ever.
      await prisma.$executeRaw`
        with reported as (
          select * from unnest(${column('id')}::int[], ${column('status')}::text[], ${column('totalBytes')}::float8[],
            ${column('freeBytes')}::float8[], ${column('availableBytes')}::float8[], ${column('time')}::float8[])
            as u (id, status, total, free, available, time)
        ), locked as (
          select d.id from devices d join reported on reported.id = d.id order by d.id for no key update of d
        )
        update devices d set status = u.status, total_bytes = u.total, free_bytes = u.free,
          available_bytes = u.available, last_seen = to_timestamp(u.time)
        from reported u join locked on locked.id = u.id
        where d.id = u.id`
    },
  }
}
