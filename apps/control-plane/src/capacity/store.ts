import { advisoryLocks } from '@roost/database'
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
  /** Time of the last reading, in Unix seconds; null before the first. */
  readonly time: number | null
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
  /** False if the stored status is the same. */
  readonly isStatusNew: boolean
}

/** A device of a cluster, whether its node reports it now or not. */
export interface NamedDevice {
  readonly id: number
  readonly nodeId: number
  readonly name: string
  /** Time of the last stored reading, in Unix seconds; null before the first. */
  readonly time: number | null
}

export interface CapacityStore {
  /** Devices of one node, or of all; those that are gone belong to no policy and are left out. */
  listDevices(nodeId?: number): Promise<readonly StoredDevice[]>
  listNodeIds(): Promise<readonly number[]>
  /** Returns all devices of a cluster, by node and name. */
  namedDevices(clusterId: number): Promise<readonly NamedDevice[]>
  /** Names of a cluster's policies by index. */
  policyNames(clusterId: number): Promise<ReadonlyMap<number, string>>
  /** Writes all of them in one transaction. Devices that are no longer stored are skipped. */
  updateUsage(usages: readonly DeviceUsage[]): Promise<void>
}

export function createCapacityStore({ prisma }: Pick<Database, 'prisma'>): CapacityStore {
  return {
    async listDevices(nodeId) {
      const rows = await prisma.$queryRaw<StoredDevice[]>`
        select d.id, d.cluster_id as "clusterId", d.node_id as "nodeId", d.agent_key as key, d.status,
          u.total_bytes::float8 as "totalBytes", u.free_bytes::float8 as "freeBytes",
          u.available_bytes::float8 as "availableBytes", extract(epoch from u.last_seen)::float8 as time,
          coalesce(array_agg(p.index) filter (where p.index is not null), '{}') as policies
        from devices d
        left join device_usage u on u.device_id = d.id
        left join device_policies dp on dp.device_id = d.id
        left join storage_policies p on p.id = dp.policy_id
        where d.agent_key is not null and (${nodeId ?? null}::int is null or d.node_id = ${nodeId ?? null}::int)
        group by d.id, u.device_id`
      return rows
    },
    async listNodeIds() {
      const rows = await prisma.node.findMany({ select: { id: true } })
      return rows.map(({ id }) => id)
    },
    namedDevices: (clusterId) => prisma.$queryRaw`
      select d.id, d.node_id as "nodeId", d.name, extract(epoch from u.last_seen)::float8 as time
      from devices d left join device_usage u on u.device_id = d.id
      where d.cluster_id = ${clusterId} order by d.node_id, d.name, d.id`,
    async policyNames(clusterId) {
      const rows = await prisma.storagePolicy.findMany({ where: { clusterId }, select: { index: true, name: true } })
      return new Map(rows.map(({ index, name }) => [index, name]))
    },
    async updateUsage(usages) {
      if (usages.length === 0) return
      const column = <K extends keyof DeviceUsage>(name: K) => usages.map((usage) => usage[name])
      const changed = usages.filter(({ isStatusNew }) => isStatusNew)
      await prisma.$transaction([
        ...(changed.length > 0 ? [updateStatus(prisma, changed)] : []),
        prisma.$executeRaw`select pg_advisory_xact_lock(${advisoryLocks.deviceUsage}::bigint)`,
        prisma.$executeRaw`
        update device_usage d set total_bytes = u.total, free_bytes = u.free, available_bytes = u.available,
          last_seen = to_timestamp(u.time)
        from unnest(${column('id')}::int[], ${column('totalBytes')}::float8[], ${column('freeBytes')}::float8[],
          ${column('availableBytes')}::float8[], ${column('time')}::float8[]) as u (id, total, free, available, time)
        where d.device_id = u.id`,
      ])
    },
  }
}

/** Locks in the order of the ids, as inventories do, so that neither waits for the other forever. */
function updateStatus(prisma: Database['prisma'], usages: readonly DeviceUsage[]) {
  return prisma.$executeRaw`
    with reported as (
      select * from unnest(${usages.map(({ id }) => id)}::int[], ${usages.map(({ status }) => status)}::text[])
        as u (id, status)
    ), locked as (
      select d.id from devices d join reported on reported.id = d.id order by d.id for no key update of d
    )
    update devices d set status = u.status from reported u join locked on locked.id = u.id where d.id = u.id`
}
