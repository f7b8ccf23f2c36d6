import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'

/** What is counted of a cluster. */
export interface ClusterCounts {
  readonly nodes: readonly { readonly state: string; readonly configState: string; readonly count: number }[]
  readonly devices: readonly { readonly status: string; readonly count: number }[]
  readonly unfinishedJobs: number
  readonly newestReading: Date | null
}

export interface SummaryStore {
  count(clusterId: number): Promise<ClusterCounts>
}

type NodeCount = ClusterCounts['nodes'][number] & { readonly newest: Date | null }

export function createSummaryStore(database: Pick<Database, 'pool' | 'disk'>): SummaryStore {
  return {
    async count(clusterId) {
      const [nodes, devices, jobs] = await Promise.all([
        queryRows<NodeCount>(
          database,
          `select state, config_state as "configState", count(*)::int as count, max(last_seen) as newest
           from nodes where cluster_id = $1 group by state, config_state`,
          [clusterId],
        ),
        queryRows<ClusterCounts['devices'][number]>(
          database,
          'select status, count(*)::int as count from devices where cluster_id = $1 group by status',
          [clusterId],
        ),
        queryRows<{ readonly count: number }>(
          database,
          `select (select count(*) from jobs where cluster_id = $1 and finished_at is null and not dry_run)::int
            + (select count(*) from agent_upgrades where cluster_id = $1 and finished_at is null)::int as count`,
          [clusterId],
        ),
      ])
      const times = nodes.flatMap(({ newest }) => (newest === null ? [] : [newest.getTime()]))
      return {
        nodes,
        devices,
        unfinishedJobs: jobs[0]?.count ?? 0,
        newestReading: times.length === 0 ? null : new Date(Math.max(...times)),
      }
    },
  }
}
