import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'
import type { HalfHours } from './half-hours.js'

/** How much of the proxies' logs was read. */
export interface CoverageStore {
  /**
   * Share, 0 to 1, by half-hour; half-hours of which nothing was read are left out. Every proxy counts alike that is
   * expected: from the first half-hour that it reported to its last, or until now while it is a proxy of the cluster.
   */
  shares(clusterId: number, range: HalfHours): Promise<ReadonlyMap<number, number>>
}

/** Parameters: $1 cluster, $2 and $3 half-hours from and to. */
export const coverageShares = `
  with readers as (
    select r.first_half_hour as first, case when role.runs_proxy then null else r.last_half_hour end as last
    from log_readers r
    left join nodes n on n.id = r.node_id and n.cluster_id = r.cluster_id
    left join node_roles role on role.node_id = n.id
    where r.cluster_id = $1
  ), reported as (
    select half_hour, sum(share) as share from log_coverage
    where cluster_id = $1 and half_hour >= $2 and half_hour < $3 group by half_hour
  )
  select t.half_hour, t.share / (
    select count(*) from readers where first <= t.half_hour and (last is null or last >= t.half_hour)
  ) as share from reported t`

export function createCoverageStore(database: Pick<Database, 'pool' | 'disk'>): CoverageStore {
  return {
    async shares(clusterId, { from, to }) {
      const rows = await queryRows<{ half_hour: number; share: number }>(database, coverageShares, [
        clusterId,
        from,
        to,
      ])
      return new Map(rows.map((row) => [row.half_hour, row.share]))
    },
  }
}
