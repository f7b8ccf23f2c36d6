import type { Slice, StorageScope, TransferScope } from '@roost/api-types/rpc'
import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'
import type { HalfHours } from './half-hours.js'

export interface StorageCounters {
  readonly bytes_used: number
  readonly container_count: number
  readonly object_count: number
  /** Two different nodes have reported every half-hour of it. */
  readonly verified: boolean
}

export interface TransferCounters {
  readonly bytes_in: number
  readonly bytes_out: number
  readonly req_count: number
}

/** A value over some time, and what it was computed from. */
export interface Stored<Counters> {
  readonly counters: Counters
  /** Storage samples; 0 for transfer, whose completeness is that of the log. */
  readonly samples: number
}

export interface AccountSlice extends Slice {
  /** Only this one. */
  readonly account?: string
  /** Only accounts behind this one. */
  readonly after?: string
}

export interface NamedAccount {
  readonly account: string
  /** The user whose project it is in the identity service of the cluster. */
  readonly accountName: string | null
}

/** Reads usage of one kind. Accounts come in the order of their bytes. */
export interface UsageStore<Scope, Counters> {
  listAccounts(
    scope: Scope,
    range: HalfHours,
    slice: AccountSlice,
  ): Promise<readonly (Stored<Counters> & NamedAccount)[]>
  countAccounts(scope: Scope, range: HalfHours): Promise<number>
  /** `hour` counts from the range's start; hours of which nothing is known are left out. */
  listHours(
    scope: Scope,
    account: string,
    range: HalfHours,
    slice: Slice,
  ): Promise<readonly (Stored<Counters> & { readonly hour: number })[]>
  countHours(scope: Scope, account: string, range: HalfHours): Promise<number>
  /** The sums over the accounts. */
  total(scope: Scope, range: HalfHours): Promise<Stored<Counters> & { readonly accounts: number }>
}

/** How the rows of a table are aggregated. */
interface Shape<Counters> {
  readonly table: string
  /** What is aggregated of the table. */
  readonly columns: string
  readonly groups: string
  /** Which policies are read. */
  readonly policy: string
  readonly counters: Readonly<Record<Exclude<keyof Counters, 'verified'>, string>>
  readonly flags: readonly (keyof Counters & 'verified')[]
  readonly samples: string
}

export function createStorageUsageStore(
  database: Pick<Database, 'pool' | 'disk'>,
): UsageStore<StorageScope, StorageCounters> {
  return createUsageStore<StorageCounters>(database, {
    table: 'storage_usage',
    columns: ['bytes_used', 'containers', 'objects'].reduce(
      (columns, name) => `${columns}, ${secondHighest(name)} as ${name}`,
      `half_hour, coalesce(bit_or(slots) ${ofPolicy}, bit_or(slots)) as slots,
        coalesce(min(node_id) ${ofPolicy} < max(node_id) ${ofPolicy}, min(node_id) < max(node_id)) as verified`,
    ),
    groups: 'group by half_hour',
    policy: `u.policy_index = any(${policies})`,
    counters: { bytes_used: 'max(bytes_used)', container_count: 'max(containers)', object_count: 'max(objects)' },
    flags: ['verified'],
    samples: 'sum((slots & 1) + (slots >> 1 & 1) + (slots >> 2 & 1))',
  })
}

/**
 * All policies of the cluster: where an account is reported in another policy only, its usage of this one is known to be
 * zero. A policy that the cluster does not have has no zeros.
 */
const policies = `array(
  select $4::int union select index from storage_policies
  where cluster_id = $1 and exists (select from storage_policies where cluster_id = $1 and index = $4))`

const ofPolicy = 'filter (where policy_index = $4)'

/**
 * No node alone can raise this: of the reports of all replicas, the highest is ignored. A replica that lags does not lower it
 * as long as two others do not. The only report of an account counts.
 */
function secondHighest(column: string): string {
  return `coalesce((array_agg(${column} order by ${column} desc) ${ofPolicy})[2], max(${column}) ${ofPolicy}, 0)`
}

export function createTransferUsageStore(
  database: Pick<Database, 'pool' | 'disk'>,
): UsageStore<TransferScope, TransferCounters> {
  return createUsageStore<TransferCounters>(database, {
    table: 'transfer_usage',
    columns: 'half_hour, bytes_in, bytes_out, requests',
    groups: '',
    policy: '$4::int is null',
    counters: { bytes_in: 'sum(bytes_in)', bytes_out: 'sum(bytes_out)', req_count: 'sum(requests)' },
    flags: [],
    samples: '0',
  })
}

type Scope = TransferScope & Partial<StorageScope>
type FlatRow<Counters> = Counters & {
  readonly samples: number
  readonly account: string
  readonly accountName: string | null
  readonly hour: number
  readonly accounts: number
}

function createUsageStore<Counters extends object>(
  database: Pick<Database, 'pool' | 'disk'>,
  shape: Shape<Counters>,
): UsageStore<Scope, Counters> {
  const names = [...Object.keys(shape.counters), ...shape.flags] as (keyof Counters & string)[]
  const sql = queriesOf(shape)
  const read = (text: string, { clusterId, policyIdx }: Scope, { from, to }: HalfHours, ...more: readonly unknown[]) =>
    queryRows<FlatRow<Counters>>(database, text, [clusterId, from, to, policyIdx ?? null, ...more])
  const count = async (...query: Parameters<typeof read>) => (await read(...query))[0]?.accounts ?? 0
  const unflatten = (row: FlatRow<Counters>) => ({
    counters: Object.fromEntries(names.map((name) => [name, row[name]])) as Counters,
    samples: row.samples,
  })
  return {
    async listAccounts(scope, range, { account, after = '', limit, offset }) {
      const rows = await read(sql.listAccounts, scope, range, storable(account), after, limit, offset)
      return rows.map((row) => ({ account: row.account, accountName: row.accountName, ...unflatten(row) }))
    },
    countAccounts: (scope, range) => count(sql.countAccounts, scope, range),
    async listHours(scope, account, range, { limit, offset }) {
      const rows = await read(sql.listHours, scope, range, storable(account), limit, offset)
      return rows.map((row) => ({ hour: row.hour, ...unflatten(row) }))
    },
    countHours: (scope, account, range) => count(sql.countHours, scope, range, storable(account)),
    async total(scope, range) {
      const [row] = await read(sql.total, scope, range)
      if (row === undefined) throw new Error('A sum without a row')
      return { accounts: row.accounts, ...unflatten(row) }
    },
  }
}

/** The stream makes U+FFFD of NUL, which PostgreSQL does not take. */
function storable(account: string | undefined): string | null {
  return account?.replaceAll('\0', '\ufffd') ?? null
}

/** The names of the users of accounts in the cluster $1. */
export const accountNames = `
  select 'AUTH_' || coalesce(project_id, name) as account, min(name) as name from users
   where cluster_id = $1
     and (project_id is not null or not exists (select from identity_services where cluster_id = $1))
   group by 1`

/** Parameters: $1 cluster, $2 and $3 half-hours from and to, $4 policy, then those of the query. */
function queriesOf<Counters extends object>({ table, policy, counters, samples, flags, ...shape }: Shape<Counters>) {
  const numbers = [...Object.entries<string>(counters), ['samples', samples]]
  const columns = [
    ...numbers.map(([name, expression]) => `(${expression})::float8 as ${name}`),
    ...flags.map((name) => `bool_and(${name}) as ${name}`),
  ].join(', ')
  const sums = [
    ...numbers.map(([name]) => `coalesce(sum(${name}), 0)::float8 as ${name}`),
    ...flags.map((name) => `coalesce(bool_and(${name}), false) as ${name}`),
  ].join(', ')
  const known = `u.account_id = a.id and ${policy} and u.half_hour >= $2 and u.half_hour < $3`
  const reported = `(select ${shape.columns} from ${table} u where ${known} ${shape.groups}) u`
  // An account's rows lie side by side in the primary key: each account is one short walk, whatever the table holds.
  const accounts = `from usage_accounts a cross join lateral (select from ${table} u where ${known} limit 1) any_row
    where a.cluster_id = $1`
  const hours = `from usage_accounts a cross join lateral ${reported} where a.cluster_id = $1 and a.name = $5`
  return {
    listAccounts: `
      select a.name as account, coalesce(n.name, a.project_name) as "accountName", s.* from (
        select a.id, a.name, a.project_name ${accounts} and ($5::text is null or a.name = $5) and a.name collate "C" > $6
        order by a.name collate "C" limit $7 offset $8) a
      cross join lateral (select ${columns} from ${reported}) s
      left join (${accountNames}) n on n.account = a.name
      order by a.name collate "C"`,
    countAccounts: `select count(*)::int as accounts ${accounts}`,
    listHours: `select (u.half_hour - $2) / 2 as hour, ${columns} ${hours} group by 1 order by 1 limit $6 offset $7`,
    countHours: `select count(distinct (u.half_hour - $2) / 2)::int as accounts ${hours}`,
    total: `
      select count(*)::int as accounts, ${sums} from usage_accounts a
      cross join lateral (select count(*) as rows, ${columns} from ${reported}) s
      where a.cluster_id = $1 and s.rows > 0`,
  }
}
