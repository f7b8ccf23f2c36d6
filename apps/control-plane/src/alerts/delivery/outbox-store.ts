import type { Severity } from '@roost/api-types/checks'
import type { Prisma } from '@roost/database'
import { lockInserts } from '../../database/insert-order.js'
import type { Transaction } from '../../database/transaction.js'
import type { AlertScope } from '../scope.js'
import { isMuted, mutingColumns } from './muted-store.js'
import { newsFor } from './news.js'
import type { Audience, News, Notice, ReportedAlert } from './news.js'
import { firstAttemptMs, groupIntervalMs, lifetimeMs } from './schedule.js'

const alertFields = { id: true, code: true, severity: true, state: true, ...mutingColumns } as const
type AlertRow = Prisma.AlertGetPayload<{ select: typeof alertFields }>

/**
 * Writes what the receivers do not know yet of the alerts of a cluster, or of this control plane, into the outbox. It is called in the transaction that
 * changes the alerts, so that there is no change without its message, and no message without its change.
 */
export async function announce(tx: Transaction, scope: AlertScope, at: Date): Promise<void> {
  const receivers = await audienceOf(tx, scope)
  if (receivers.length === 0) return
  const { alerts, notices } = await reported(tx, scope, receivers)
  const news = newsFor(receivers, alerts, notices)
  if (news.length === 0) return
  const deliveries = await deliveriesFor(tx, scope, news, at)
  await writeNotices(tx, news, deliveries)
}

/** A receiver of one cluster gets no alerts of this control plane. Alertmanagers get the state of all alerts each minute instead of messages. */
async function audienceOf(tx: Transaction, scope: AlertScope): Promise<readonly Audience[]> {
  const ofScope = { OR: [{ clusterId: null }, { clusterId: scope }] }
  const rows = await tx.alertReceiver.findMany({
    select: { id: true, leastSeverity: true, sendResolved: true },
    where: { enabled: true, kind: { not: 'alertmanager' }, ...ofScope },
  })
  return rows.map((row) => ({ ...row, leastSeverity: row.leastSeverity as Severity }))
}

/** Reads the alerts that fire, and those that have ended without a notice of it. */
async function reported(tx: Transaction, scope: AlertScope, receivers: readonly Audience[]) {
  const receiverId = { in: receivers.map(({ id }) => id) }
  const firing = await tx.alert.findMany({
    select: { ...alertFields, notices: { where: { receiverId } } },
    where: { clusterId: scope, openKey: { not: null }, state: 'firing' },
  })
  const ended = await tx.alertNotice.findMany({
    include: { alert: { select: alertFields } },
    where: { isResolved: false, receiverId, alert: { clusterId: scope, state: 'resolved' } },
  })
  const alerts = new Map([...firing, ...ended.map(({ alert }) => alert)].map((row) => [row.id, reportedAlert(row)]))
  const notices = [...firing.flatMap(({ notices }) => notices), ...ended]
  return { alerts: [...alerts.values()], notices: notices.map(noticeOf) }
}

function reportedAlert(row: AlertRow): ReportedAlert {
  const { id, code, severity, state } = row
  return { id, code, severity: severity as Severity, isResolved: state === 'resolved', isMuted: isMuted(row) }
}

function noticeOf(row: Prisma.AlertNoticeGetPayload<object>): Notice {
  const { receiverId, alertId, isResolved } = row
  return { receiverId, alertId, isResolved, severity: row.severity as Severity }
}

/** Returns the delivery of each group of news: one that waits for its first attempt, or a new one. */
async function deliveriesFor(tx: Transaction, scope: AlertScope, news: readonly News[], at: Date) {
  await lockInserts(tx, 'alert_deliveries')
  const waiting = await lockWaiting(tx, scope)
  const delivered = await lastDelivered(tx, scope, at)
  const expiresAt = new Date(at.getTime() + lifetimeMs)
  const ids = new Map<string, number>()
  for (const [key, [first, ...others]] of groupsOf(news)) {
    if (first === undefined) continue
    const isCritical = [first, ...others].some(({ severity, isResolved }) => severity === 'critical' && !isResolved)
    const nextMs = firstAttemptMs({ nowMs: at.getTime(), lastDeliveredMs: delivered.get(key), isCritical })
    const before = waiting.get(key)
    const nextAt = new Date(Math.min(nextMs, before?.nextMs ?? nextMs))
    const data = { receiverId: first.receiverId, clusterId: scope, code: first.code, nextAt, expiresAt }
    const row =
      before === undefined
        ? await tx.alertDelivery.create({ data: { ...data, state: 'waiting', createdAt: at } })
        : await tx.alertDelivery.update({ where: { id: before.id }, data: { nextAt, expiresAt } })
    ids.set(key, row.id)
  }
  return ids
}

/** Locks the deliveries without an attempt: none begins before the news is in it. */
async function lockWaiting(tx: Transaction, scope: AlertScope) {
  const rows = await tx.$queryRaw<readonly { id: number; receiverId: number; code: string; nextAt: Date }[]>`
    select id, receiver_id as "receiverId", code, next_at as "nextAt" from alert_deliveries
    where cluster_id is not distinct from ${scope} and next_at is not null and state = 'waiting' and attempts = 0 for update`
  return new Map(rows.map((row) => [keyOf(row), { id: row.id, nextMs: row.nextAt.getTime() }]))
}

async function lastDelivered(tx: Transaction, scope: AlertScope, at: Date): Promise<ReadonlyMap<string, number>> {
  const since = new Date(at.getTime() - groupIntervalMs)
  const rows = await tx.$queryRaw<readonly { receiverId: number; code: string; endedAt: Date }[]>`
    select receiver_id as "receiverId", code, max(ended_at) as "endedAt" from alert_deliveries
    where cluster_id is not distinct from ${scope} and state = 'delivered' and ended_at > ${since} group by 1, 2`
  return new Map(rows.map((row) => [keyOf(row), row.endedAt.getTime()]))
}

function groupsOf(news: readonly News[]): ReadonlyMap<string, readonly News[]> {
  const groups = new Map<string, News[]>()
  for (const one of news.filter(({ isSent }) => isSent)) {
    const group = groups.get(keyOf(one)) ?? []
    groups.set(keyOf(one), [...group, one])
  }
  return groups
}

function keyOf({ receiverId, code }: Pick<News, 'receiverId' | 'code'>): string {
  return `${receiverId} ${code}`
}

/** One statement for all: a storm is hundreds. */
async function writeNotices(tx: Transaction, news: readonly News[], deliveries: ReadonlyMap<string, number>) {
  const rows = news.map((one) => ({
    receiver_id: one.receiverId,
    alert_id: one.alertId,
    severity: one.severity,
    is_resolved: one.isResolved,
    delivery_id: one.isSent ? (deliveries.get(keyOf(one)) ?? null) : null,
  }))
  await tx.$executeRaw`
    insert into alert_notices (receiver_id, alert_id, severity, is_resolved, delivery_id)
    select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(receiver_id int, alert_id int, severity text,
      is_resolved bool, delivery_id int)
    on conflict (receiver_id, alert_id) do update set severity = excluded.severity, is_resolved = excluded.is_resolved,
      delivery_id = coalesce(excluded.delivery_id, alert_notices.delivery_id)`
}
