import type { StorageUsage, TransferUsage } from '@roost/api-types/agent'
import type { Prisma } from '@roost/database'
import { insertAuditEvent } from '../database/audit-event.js'
import type { Database } from '../database/database.js'
import type { NewAccountLimit } from './new-accounts.js'

/** What one node tells of one half-hour. */
export interface HalfHourUsage {
  readonly nodeId: number
  /** Half-hours since 1970. */
  readonly halfHour: number
  readonly storage: readonly StorageUsage[]
  readonly transfer: readonly TransferUsage[]
  /** Null where the node has no log. */
  readonly logRead: number | null
  /** The half-hour was closed: a change of it goes into the audit. */
  readonly isLate: boolean
}

/** What a node may report. */
export interface Reporter {
  readonly inAccountRing: boolean
  /** An operator has approved it as a proxy. */
  readonly isProxy: boolean
  /** The indexes of the storage policies of its cluster. */
  readonly policies: ReadonlySet<number>
}

export interface UsageIntakeStore {
  /** Undefined when there is no such node. */
  findReporter(nodeId: number): Promise<Reporter | undefined>
  /**
   * All of it or nothing. Returns false when there is no such node. What was reported before, or less than that, changes
   * nothing. Throws what the limit throws about the accounts that the node has made known on its day.
   */
  merge(usage: HalfHourUsage, newAccounts: NewAccountLimit): Promise<boolean>
}

type Tx = Prisma.TransactionClient

export function createUsageIntakeStore({ prisma }: Pick<Database, 'prisma'>): UsageIntakeStore {
  return {
    async findReporter(id) {
      const select = {
        inAccountRing: true,
        rolesGranted: true,
        cluster: { select: { policies: { select: { index: true } } } },
      }
      const node = await prisma.node.findUnique({ where: { id }, select })
      if (node === null) return undefined
      const policies = new Set(node.cluster.policies.map(({ index }) => index))
      return { inAccountRing: node.inAccountRing, isProxy: node.rolesGranted.includes('runs_proxy'), policies }
    },
    merge: (usage, newAccounts) =>
      prisma.$transaction(
        async (tx) => {
          const node = await tx.node.findUnique({
            where: { id: usage.nodeId },
            select: { clusterId: true, uuid: true },
          })
          if (node === null) return false
          const inserted = await insertAccounts(tx, node.clusterId, [...usage.storage, ...usage.transfer])
          if (inserted > 0) newAccounts.check(await countNewAccounts(tx, usage.nodeId, newAccounts.day, inserted))
          const changed = {
            storage_rows: await mergeStorage(tx, node.clusterId, usage),
            transfer_rows: await mergeTransfer(tx, node.clusterId, usage),
            log_rows: await mergeCoverage(tx, node.clusterId, usage),
          }
          if (usage.isLate) await auditLate(tx, node, usage, changed)
          return true
        },
        { maxWait: 30_000, timeout: 60_000 },
      ),
  }
}

/** Only those that are new: a conflict would use up a number of the sequence each time. */
async function insertAccounts(
  tx: Tx,
  clusterId: number,
  rows: readonly { readonly account: string }[],
): Promise<number> {
  const names = [...new Set(rows.map(({ account }) => account))]
  if (names.length === 0) return 0
  return tx.$executeRaw`
    insert into usage_accounts (cluster_id, name)
    select ${clusterId}, reported.name from unnest(${names}::text[]) reported (name)
    where not exists (select from usage_accounts a where a.cluster_id = ${clusterId} and a.name = reported.name)
    order by reported.name
    on conflict do nothing`
}

/** Adds to the accounts that the node has made known on the day, and returns their number. */
async function countNewAccounts(tx: Tx, nodeId: number, day: number, accounts: number): Promise<number> {
  const [row] = await tx.$queryRaw<{ readonly accounts: number }[]>`
    insert into new_usage_accounts as n (node_id, day, accounts) values (${nodeId}, ${day}, ${accounts})
    on conflict (node_id) do update set
      accounts = excluded.accounts + case when n.day = excluded.day then n.accounts else 0 end, day = excluded.day
    returning accounts`
  return row?.accounts ?? accounts
}

/**
 * Values only grow, so that the order of messages and their repetition do not matter. Each node has a row of its own: the
 * replicas of an account are compared when they are read. Rows are locked in the order of their keys: two nodes wait, and do not deadlock.
 */
async function mergeStorage(tx: Tx, clusterId: number, { nodeId, halfHour, storage }: HalfHourUsage): Promise<number> {
  if (storage.length === 0) return 0
  const column = <K extends keyof StorageUsage>(name: K) => storage.map((row) => row[name])
  return tx.$executeRaw`
    insert into storage_usage as s (account_id, policy_index, half_hour, node_id, slots, bytes_used, containers, objects)
    select a.id, reported.policy, ${halfHour}::int, ${nodeId}::int, bit_or(reported.slots), max(reported.bytes), max(reported.containers), max(reported.objects)
    from unnest(${column('account')}::text[], ${column('policy')}::int[], ${column('slots')}::int2[],
      ${column('bytes_used')}::int8[], ${column('container_count')}::int8[], ${column('object_count')}::int8[])
      as reported (name, policy, slots, bytes, containers, objects)
    join usage_accounts a on a.cluster_id = ${clusterId} and a.name = reported.name
    group by a.id, reported.policy order by a.id, reported.policy
    on conflict (account_id, policy_index, half_hour, node_id) do update set
      slots = s.slots | excluded.slots,
      bytes_used = greatest(s.bytes_used, excluded.bytes_used),
      containers = greatest(s.containers, excluded.containers),
      objects = greatest(s.objects, excluded.objects)
    where excluded.bytes_used > s.bytes_used or excluded.containers > s.containers or excluded.objects > s.objects
      or (excluded.slots & ~s.slots) <> 0`
}

/** By node: the proxies of a cluster add up, each with the most that it reported. */
async function mergeTransfer(tx: Tx, clusterId: number, usage: HalfHourUsage): Promise<number> {
  const { transfer, halfHour, nodeId } = usage
  if (transfer.length === 0) return 0
  const column = <K extends keyof TransferUsage>(name: K) => transfer.map((row) => row[name])
  return tx.$executeRaw`
    insert into transfer_usage as t (account_id, half_hour, node_id, bytes_in, bytes_out, requests)
    select a.id, ${halfHour}::int, ${nodeId}::int, max(reported.bytes_in), max(reported.bytes_out), max(reported.requests)
    from unnest(${column('account')}::text[], ${column('bytes_in')}::int8[], ${column('bytes_out')}::int8[],
      ${column('req_count')}::int8[]) as reported (name, bytes_in, bytes_out, requests)
    join usage_accounts a on a.cluster_id = ${clusterId} and a.name = reported.name
    group by a.id order by a.id
    on conflict (account_id, half_hour, node_id) do update set
      bytes_in = greatest(t.bytes_in, excluded.bytes_in),
      bytes_out = greatest(t.bytes_out, excluded.bytes_out),
      requests = greatest(t.requests, excluded.requests)
    where excluded.bytes_in > t.bytes_in or excluded.bytes_out > t.bytes_out or excluded.requests > t.requests`
}

async function mergeCoverage(tx: Tx, clusterId: number, usage: HalfHourUsage): Promise<number> {
  const { halfHour, nodeId, logRead } = usage
  if (logRead === null) return 0
  await tx.$executeRaw`
    insert into log_readers as r (cluster_id, node_id, first_half_hour, last_half_hour)
    values (${clusterId}, ${nodeId}, ${halfHour}, ${halfHour})
    on conflict (cluster_id, node_id) do update set
      first_half_hour = least(r.first_half_hour, excluded.first_half_hour),
      last_half_hour = greatest(r.last_half_hour, excluded.last_half_hour)
    where excluded.first_half_hour < r.first_half_hour or excluded.last_half_hour > r.last_half_hour`
  return tx.$executeRaw`
    insert into log_coverage as c (cluster_id, half_hour, node_id, share)
    values (${clusterId}, ${halfHour}, ${nodeId}, ${logRead}::float8)
    on conflict (cluster_id, half_hour, node_id) do update set share = excluded.share
    where excluded.share > c.share`
}

/** Records only what changed; repeated usage changes nothing. */
async function auditLate(
  tx: Tx,
  node: { readonly clusterId: number; readonly uuid: string },
  { nodeId, halfHour }: HalfHourUsage,
  changed: Readonly<Record<string, number>>,
): Promise<void> {
  const kept = Object.entries(changed).filter(([, count]) => count > 0)
  if (kept.length === 0) return
  const half_hour = new Date(halfHour * 1_800_000).toISOString()
  await insertAuditEvent(tx, {
    operator: `agent ${node.uuid}`,
    keyId: null,
    address: '',
    requestId: '',
    action: 'late_usage',
    resource: 'clusters',
    resourceId: node.clusterId,
    changes: {
      half_hour: [null, half_hour],
      node: [null, nodeId],
      ...Object.fromEntries(kept.map(([name, count]) => [name, [null, count]])),
    },
  })
}
