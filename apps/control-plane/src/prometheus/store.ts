import { Prisma } from '@roost/database'
import type { Database } from '../database/database.js'

export interface NodeLabels {
  readonly id: number
  readonly node: string
  readonly cluster: string
}

export interface NodeCount {
  readonly cluster: string
  readonly state: string
  readonly count: number
}

export interface DeviceCount {
  readonly cluster: string
  readonly status: string
  readonly count: number
}

export interface DeviceLabels {
  readonly id: number
  readonly cluster: string
  readonly node: string
  readonly device: string
}

export interface ShareLabels {
  readonly id: number
  readonly name: string
  readonly protocol: string
  readonly cluster: string
  readonly node: string
  readonly nodeId: number
}

/** The values of the fleet that Prometheus scrapes. */
export interface FleetMetricStore {
  listClusters(): Promise<readonly { readonly id: number; readonly name: string }[]>
  listNodes(): Promise<readonly NodeLabels[]>
  countNodes(): Promise<readonly NodeCount[]>
  countDevices(): Promise<readonly DeviceCount[]>
  /** Assigned devices, by ascending id, in pages. */
  listDevices(): AsyncIterable<readonly DeviceLabels[]>
  /** Enabled shares, by ascending id. */
  listShares(): Promise<readonly ShareLabels[]>
}

const pageRows = 2_000

export function createFleetMetricStore({ prisma }: Pick<Database, 'prisma'>): FleetMetricStore {
  const page = (after: number) =>
    prisma.$queryRaw<DeviceLabels[]>(Prisma.sql`
    select d.id, c.name as cluster, n.hostname as node, d.name as device
    from devices d join nodes n on n.id = d.node_id join clusters c on c.id = d.cluster_id
    where d.id > ${after} and exists (select from device_policies dp where dp.device_id = d.id)
    order by d.id limit ${pageRows}`)
  return {
    listClusters: () => prisma.cluster.findMany({ select: { id: true, name: true }, orderBy: { id: 'asc' } }),
    listNodes: () => prisma.$queryRaw`
      select n.id, n.hostname as node, c.name as cluster
      from nodes n join clusters c on c.id = n.cluster_id order by n.id`,
    countNodes: () => prisma.$queryRaw`
      select c.name as cluster, n.state, count(*)::int as count
      from nodes n join clusters c on c.id = n.cluster_id group by 1, 2 order by 1, 2`,
    countDevices: () => prisma.$queryRaw`
      select c.name as cluster, d.status, count(*)::int as count
      from devices d join clusters c on c.id = d.cluster_id group by 1, 2 order by 1, 2`,
    listShares: () => prisma.$queryRaw`
      select s.id, s.name, s.protocol, c.name as cluster, n.hostname as node, s.node_id as "nodeId"
      from gateway_shares s join nodes n on n.id = s.node_id join clusters c on c.id = s.cluster_id
      where s.enabled order by s.id`,
    async *listDevices() {
      let last = 0
      for (;;) {
        const rows = await page(last)
        if (rows.length > 0) yield rows
        if (rows.length < pageRows) return
        last = rows.at(-1)?.id ?? last
      }
    },
  }
}
