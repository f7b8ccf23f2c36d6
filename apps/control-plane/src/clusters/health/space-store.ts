import type { Database } from '../../database/database.js'

/** A node with devices that are nearly full. */
export interface FullDevices {
  readonly nodeId: number
  readonly devices: number
  /** The name of the fullest. */
  readonly fullest: string
  readonly usedPercent: number
}

/** A node with devices that will be full soon. */
export interface FillingDevices {
  readonly nodeId: number
  readonly devices: number
  /** The name of that which will be full first, with its forecast. */
  readonly first: string
  readonly middle: number
  readonly late: number | null
  readonly usedPercent: number
}

/** The limits of forecasts that count. */
export interface FillingLimits {
  /** Days by usual growth. */
  readonly middle: number
  /** Days by slow growth. */
  readonly late: number
  /** What is emptier, or has at least so much in use, is left out. */
  readonly usedPercent: number
  readonly fullPercent: number
}

/** Which devices are full, and will be. */
export interface SpaceStore {
  /** Nodes with devices that work and have so much of their space in use. */
  listFullDevices(clusterId: number, leastPercent: number): Promise<readonly FullDevices[]>
  /** Nodes with devices that work and whose forecast is within the limits. */
  listFillingDevices(clusterId: number, limits: FillingLimits): Promise<readonly FillingDevices[]>
}

export function createSpaceStore(prisma: Database['prisma']): SpaceStore {
  return {
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
    listFillingDevices: (clusterId, limits) => prisma.$queryRaw`
      select distinct on (node_id) node_id as "nodeId", count(*) over (partition by node_id)::int as devices,
        name as first, middle, late, percent as "usedPercent"
      from (
        select d.node_id, d.name, f.middle, f.late,
          (used * 100.0 / nullif(used + u.available_bytes, 0))::float8 as percent
        from device_forecasts f join devices d on d.id = f.device_id join device_usage u on u.device_id = d.id,
          lateral (select u.total_bytes - u.free_bytes as used) as s
        where d.cluster_id = ${clusterId} and d.agent_key is not null and d.status = 'ok'
          and (f.middle <= ${limits.middle} or f.late <= ${limits.late})
      ) as filling
      where percent >= ${limits.usedPercent} and percent < ${limits.fullPercent}
      order by node_id, middle, name`,
  }
}
