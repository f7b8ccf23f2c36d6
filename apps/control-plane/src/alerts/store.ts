import { effectOf } from '@roost/api-types/checks'
import type { Severity } from '@roost/api-types/checks'
import { alertPage, resourceUri } from '@roost/api-types/rest'
import type { Alert, AlertState } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Database } from '../database/database.js'
import { lockInserts } from '../database/insert-order.js'
import { tableStore } from '../database/table-store.js'
import type { Transaction } from '../database/transaction.js'
import { scopeUri } from './scope.js'
import type { AlertScope } from './scope.js'
import type { Decision, NextAlert, OpenAlert, OpenState } from './decide.js'

type Row = Prisma.AlertGetPayload<object>

/** It fires, or is unknown after it fired, and no operator works on it. */
const needsAction = {
  state: { in: ['firing', 'unknown'] },
  acknowledgedAt: null,
  silencedUntil: null,
} satisfies Prisma.AlertWhereInput

export type AlertStore = ReturnType<typeof createAlertStore>

/** `announce` is called in each transaction that changes alerts of a cluster or of this control plane, after the change. */
export function createAlertStore(
  database: Database,
  announce: (tx: Transaction, scope: AlertScope, at: Date) => Promise<void>,
) {
  const { prisma } = database
  const records = tableStore(database, resources.alerts, {
    model: 'Alert',
    conditions: {
      node__hostname: (names: string[]) => ({ hostname: { in: names } }),
      concerns: (ids: number[]) => ({ OR: [{ clusterId: { in: ids } }, { clusterId: null }] }),
      of_control_plane: (values: boolean[]) => ({
        OR: values.map((value) => ({ clusterId: value ? null : { not: null } })),
      }),
      acknowledged: (values: boolean[]) => ({
        OR: values.map((value) => ({ acknowledgedAt: value ? { not: null } : null })),
      }),
      silenced: (values: boolean[]) => ({
        OR: values.map((value) => ({ silencedUntil: value ? { not: null } : null })),
      }),
      needs_action: (values: boolean[]) => ({
        OR: values.map((value) => (value ? needsAction : { NOT: needsAction })),
      }),
    },
    recordOf: alertRecord,
  })
  return {
    ...records,
    /** Alerts of a cluster, or of this control plane, that are not resolved. */
    async listOpen(scope: AlertScope): Promise<readonly OpenAlert[]> {
      return (await prisma.alert.findMany({ where: { clusterId: scope, openKey: { not: null } } })).map(openAlert)
    },
    /** All that are not resolved, or were since then, by id. */
    async openOrResolvedSince(since: Date): Promise<readonly Alert[]> {
      const where = { OR: [{ openKey: { not: null } }, { resolvedAt: { gte: since } }] }
      return (await prisma.alert.findMany({ where, orderBy: { id: 'asc' } })).map(alertRecord)
    },
    apply: (scope: AlertScope, decision: Decision, at: Date) =>
      prisma.$transaction(async (tx) => {
        await apply(tx, scope, decision, at)
        await announce(tx, scope, at)
      }),
    async acknowledge(tx: Transaction, id: number, by: { readonly operator: string; readonly at: Date } | null) {
      const data = { acknowledgedBy: by?.operator ?? '', acknowledgedAt: by?.at ?? null }
      return alertRecord(await tx.alert.update({ where: { id }, data }))
    },
  }
}

async function apply(tx: Transaction, scope: AlertScope, { begin, update, forget }: Decision, at: Date): Promise<void> {
  if (begin.length > 0) {
    await lockInserts(tx, 'alerts')
    await tx.alert.createMany({ data: begin.map((next) => newRow(scope, next, at)) })
  }
  if (update.length > 0) await writeUpdates(tx, update, at)
  if (forget.length > 0) await tx.alert.deleteMany({ where: { id: { in: [...forget] } } })
}

function newRow(scope: AlertScope, next: NextAlert, at: Date): Prisma.AlertCreateManyInput {
  const { isChanged: _isChanged, startedMs, firedMs, fingerprint, ...columns } = next
  const times = {
    startedAt: new Date(startedMs),
    firedAt: firedMs === null ? null : new Date(firedMs),
    changedAt: at,
  }
  return { ...columns, clusterId: scope, fingerprint, openKey: fingerprint, ...times }
}

/** One statement for all: a storm changes hundreds. */
async function writeUpdates(
  tx: Transaction,
  updates: readonly (NextAlert & { readonly id: number })[],
  at: Date,
): Promise<void> {
  const rows = updates.map(({ goodRounds, firedMs, isChanged, ...columns }) => ({
    ...columns,
    good_rounds: goodRounds,
    fired_at: firedMs === null ? null : new Date(firedMs),
    is_changed: isChanged,
  }))
  await tx.$executeRaw`
    update alerts set state = n.state, severity = n.severity, rank = n.rank, summary = n.summary,
      remedy = n.remedy, value = n.value, threshold = n.threshold, good_rounds = n.good_rounds, fired_at = n.fired_at,
      changed_at = case when n.is_changed then ${at}::timestamptz else changed_at end,
      resolved_at = case when n.state = 'resolved' then ${at}::timestamptz end,
      open_key = case when n.state <> 'resolved' then open_key end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(id int, state text, severity text, rank int,
      summary text, remedy text, value float8, threshold float8, good_rounds int, fired_at timestamptz, is_changed bool)
    where alerts.id = n.id`
}

function openAlert(row: Row): OpenAlert {
  const { id, fingerprint, code, problem, rank, goodRounds } = row
  const states = { severity: row.severity as Severity, state: row.state as OpenState }
  const times = { startedMs: row.startedAt.getTime(), firedMs: row.firedAt?.getTime() ?? null }
  return { id, fingerprint, code, problem, rank, goodRounds, ...aboutOf(row), ...states, ...times }
}

function aboutOf({ nodeId, hostname, deviceId, subject, summary, remedy, value, threshold }: Row) {
  return { nodeId, hostname, deviceId, subject, summary, remedy, value, threshold }
}

function alertRecord(row: Row): Alert {
  const { id, code, problem, rank, hostname, subject, summary, remedy, value, threshold } = row
  const texts = { subject, summary, effect: effectOf(problem), remedy }
  return {
    id,
    code,
    problem,
    rank,
    hostname,
    value,
    threshold,
    ...texts,
    doc: alertPage(code),
    resource_uri: resourceUri('alerts', id),
    severity: row.severity as Severity,
    state: row.state as AlertState,
    cluster: scopeUri(row.clusterId),
    node: row.nodeId === null ? null : resourceUri('nodes', row.nodeId),
    device: row.deviceId === null ? null : resourceUri('devices', row.deviceId),
    started_at: row.startedAt.toISOString(),
    fired_at: timeOf(row.firedAt),
    changed_at: row.changedAt.toISOString(),
    resolved_at: timeOf(row.resolvedAt),
    acknowledged: row.acknowledgedAt !== null,
    acknowledged_by: row.acknowledgedBy,
    acknowledged_at: timeOf(row.acknowledgedAt),
    silenced: row.silencedUntil !== null,
    silenced_until: timeOf(row.silencedUntil),
  }
}

function timeOf(at: Date | null): string | null {
  return at?.toISOString() ?? null
}
