import { createUsageIntakeStore } from '@roost/control-plane/dist/utilization/intake-store.js'
import type { HalfHourUsage } from '@roost/control-plane/dist/utilization/intake-store.js'
import { newAccountLimit } from '@roost/control-plane/dist/utilization/new-accounts.js'
import { insertNodes } from '../support/agents/nodes.js'
import { storageOf, transferOf } from '../support/database/usage-rows.js'
import { median, timesOf } from './measure.js'
import { atLeast, row } from './report.js'
import type { Row } from './report.js'
import { openStage } from './stage.js'
import type { Stage } from './stage.js'

const accounts = 5_000
const rounds = 40
const monthHalfHours = 1_440
const monthAccounts = 1_000
const halfHour = Math.floor(Date.now() / 1_800_000) - 2 * monthHalfHours

/** Usage taken in from two nodes at a time, and read back by REST over a month. */
export async function benchUsage(): Promise<readonly Row[]> {
  const stage = await openStage()
  try {
    const { id: clusterId } = await stage.database.prisma.cluster.create({ data: { name: 'usage' } })
    const nodes = (await insertNodes(stage.database, clusterId, 2)).map(({ id }) => id)
    return [...(await intake(stage, nodes)), ...(await reads(stage, clusterId))]
  } finally {
    await stage.close()
  }
}

async function intake({ database }: Stage, [one = 0, two = 0]: readonly number[]): Promise<readonly Row[]> {
  const store = createUsageIntakeStore(database)
  const names = Array.from({ length: accounts }, (_, i) => `AUTH_account-${i}`)
  const usageOf = (nodeId: number, at: number): HalfHourUsage => ({
    nodeId,
    halfHour: halfHour + at,
    storage: names.map((name, i) => storageOf(name, i * 1_000_000)),
    transfer: names.map((name, i) => transferOf(name, i, 2 * i)),
    logRead: 1,
    isLate: true,
  })
  const perSecond = async (node: (round: number) => number, first: number) => {
    const begin = performance.now()
    const writer = async (own: number) => {
      for (let at = own; at < rounds; at += 2)
        await store.merge(usageOf(node(at), first + at), newAccountLimit(Date.now()))
    }
    await Promise.all([writer(0), writer(1)])
    return (2 * accounts * rounds) / ((performance.now() - begin) / 1000)
  }
  await store.merge(usageOf(one, -1), newAccountLimit(Date.now()))
  const fresh = await perSecond(() => one, 0)
  const again = await perSecond(() => one, 0)
  const replica = await perSecond(() => two, 0)
  return [
    row('rows of usage taken in, new', fresh, 'rows/s', atLeast(50_000), { 'unnest alone': 140_000, COPY: 650_000 }),
    row('the same messages again', again, 'rows/s', null),
    row('the same accounts by another node', replica, 'rows/s', null),
  ]
}

/** A month of a thousand accounts: 1.4 million rows. */
async function reads(stage: Stage, clusterId: number): Promise<readonly Row[]> {
  const { pool } = stage.database
  await pool.query(
    `with accounts as (
       insert into usage_accounts (cluster_id, name) select $1, 'AUTH_month-' || i from generate_series(1, $2) i returning id)
     insert into storage_usage (account_id, policy_index, half_hour, slots, bytes_used, containers, objects)
     select id, 1, $3 + h, 7, 1000000 + h, 3, 17 from accounts, generate_series(0, $4 - 1) h`,
    [clusterId, monthAccounts, halfHour, monthHalfHours],
  )
  await pool.query('vacuum analyze storage_usage, transfer_usage, usage_accounts')
  const { rows } = await pool.query<{ bytes: number }>(
    `select pg_total_relation_size('storage_usage')::float8 / count(*) as bytes from storage_usage`,
  )
  const reader = stage.reader()
  const time = (at: number) => new Date((halfHour + at) * 1_800_000).toISOString()
  const base = `/api/v1/clusters/${clusterId}/utilization/storage/1/`
  const month = `start=${time(0)}&end=${time(monthHalfHours)}`
  const p50 = async (runs: number, path: string) => median(await timesOf(runs, () => reader.read(`${base}${path}`)))
  const answer = [
    row('bytes of disk a row of storage', rows[0]?.bytes ?? 0, 'B', null),
    row('an account by the hour, a month', await p50(20, `AUTH_month-7/detail/?${month}&limit=1000`), 'ms', null),
    row('an account, a month in one row', await p50(20, `AUTH_month-7/?${month}`), 'ms', null),
    row('20 of 1,000 accounts, a month', await p50(20, `?${month}`), 'ms', null),
    row('1,000 accounts, a month', await p50(5, `?${month}&limit=1000`), 'ms', null),
    row('total of 1,000 accounts, a month', await p50(5, `total/?${month}`), 'ms', null),
  ]
  await reader.close()
  return answer
}
