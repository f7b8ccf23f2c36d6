import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'
import { coverageShares } from './coverage-store.js'
import type { HalfHours } from './half-hours.js'
import { accountNames } from './store.js'

/** What one series has in one step. */
export interface SeriesCell {
  readonly step: number
  readonly policyIdx: number | null
  /** Null for all that have no series of their own. */
  readonly account: string | null
  readonly accountName: string | null
  readonly samples: number
  /** How many accounts it is the sum of. */
  readonly accounts: number
  readonly bytes_used: number
  readonly bytes_in: number
  readonly bytes_out: number
  readonly req_count: number
}

export interface SeriesScope {
  readonly clusterId: number
  /** In a row, without gaps. */
  readonly steps: readonly HalfHours[]
}

/** Usage by steps, summed by the database. The cells of a series come together, those of the largest account first. */
export interface SeriesStore {
  storageByPolicy(scope: SeriesScope): Promise<readonly SeriesCell[]>
  storageByAccount(scope: SeriesScope, top: number): Promise<readonly SeriesCell[]>
  transferByAccount(scope: SeriesScope, top: number): Promise<readonly SeriesCell[]>
  /** The sum of the shares of the half-hours of each step of which a log was read. */
  coverage(scope: SeriesScope): Promise<ReadonlyMap<number, number>>
}

export function createSeriesStore(database: Pick<Database, 'pool' | 'disk'>): SeriesStore {
  const read = <Row extends object>(text: string, { clusterId, steps }: SeriesScope, ...more: readonly unknown[]) => {
    const starts = steps.map(({ from }) => from)
    return queryRows<Row>(database, text, [clusterId, starts[0] ?? 0, steps.at(-1)?.to ?? 0, starts, ...more])
  }
  return {
    storageByPolicy: (scope) => read(byPolicy, scope),
    storageByAccount: (scope, top) => read(storageByAccount, scope, top),
    transferByAccount: (scope, top) => read(transferByAccount, scope, top),
    async coverage(scope) {
      const rows = await read<{ step: number; share: number }>(coverage, scope)
      return new Map(rows.map(({ step, share }) => [step, share]))
    },
  }
}

// Parameters: $1 cluster, $2 and $3 half-hours from and to, $4 those at which the steps begin, $5 how many accounts.

const stepOf = 'width_bucket(half_hour, $4::int[]) - 1'
const known = 'u.account_id = a.id and u.half_hour >= $2 and u.half_hour < $3'
const samplesOf = (slots: string) => `sum((${slots} & 1) + (${slots} >> 1 & 1) + (${slots} >> 2 & 1))`

/** As the other reads of storage have it: of the reports of several nodes the second highest counts. */
const halves = `
  half as (
    select half_hour, policy_index, ${stepOf} as step, bit_or(slots) as slots,
           coalesce((array_agg(bytes_used order by bytes_used desc))[2], max(bytes_used)) as bytes_used
      from storage_usage u where ${known} group by 1, 2
  ), sampled as (select half_hour, step, bit_or(slots) as slots from half group by 1, 2)`

/** An account that was reported in another policy alone has nothing in this one. */
const byPolicy = `
  select c.step, c.policy as "policyIdx", null as account, null as "accountName", sum(c.samples)::float8 as samples,
         count(*)::int as accounts, sum(c.bytes_used)::float8 as bytes_used
    from usage_accounts a cross join lateral (
      with ${halves}
      select s.step, p.index as policy, max(coalesce(h.bytes_used, 0)) as bytes_used,
             ${samplesOf('coalesce(h.slots, s.slots)')} as samples
        from sampled s
       cross join (select index from storage_policies where cluster_id = $1 union select policy_index from half) p
        left join half h on h.half_hour = s.half_hour and h.policy_index = p.index
       group by 1, 2) c
   where a.cluster_id = $1 group by 1, 2 order by 2, 1`

const storageByAccount = byAccount(
  `with ${halves}
   select step, bytes_used, samples
     from (select step, ${samplesOf('slots')} as samples from sampled group by 1) s
     join (select step, sum(bytes_used) as bytes_used
             from (select step, policy_index, max(bytes_used) as bytes_used from half group by 1, 2) p
            group by 1) b using (step)`,
  ['bytes_used'],
  'max(bytes_used)',
)

const transferByAccount = byAccount(
  `select ${stepOf} as step, 0 as samples, sum(bytes_in) as bytes_in, sum(bytes_out) as bytes_out,
          sum(requests) as req_count
     from transfer_usage u where ${known} group by 1`,
  ['bytes_in', 'bytes_out', 'req_count'],
  'sum(bytes_in + bytes_out)',
)

/** The cells of the largest accounts, and the sums of all others. */
function byAccount(cells: string, counters: readonly string[], size: string): string {
  const sums = ['samples', ...counters].map((name) => `sum(c.${name})::float8 as ${name}`).join(', ')
  return `
    with cells as materialized (
      select a.id, c.* from usage_accounts a cross join lateral (${cells}) c where a.cluster_id = $1
    ), ranked as (select id, row_number() over (order by ${size} desc, id) as rank from cells group by id
    ), summed as (
      select case when r.rank <= $5 then c.id end as id, min(r.rank) as rank, c.step, count(*)::int as accounts, ${sums}
        from cells c join ranked r using (id) group by 1, 3
    )
    select s.*, null as "policyIdx", a.name as account, coalesce(n.name, a.project_name) as "accountName"
      from summed s left join usage_accounts a on a.id = s.id left join (${accountNames}) n on n.account = a.name
     order by s.id is null, s.rank, s.step`
}

const coverage = `select ${stepOf} as step, sum(share)::float8 as share from (${coverageShares}) shares group by 1`
