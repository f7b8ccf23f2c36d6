import type { AlertReceiverKind } from '@roost/api-types/rest'
import { resourceUri } from '@roost/api-types/rest'
import type { Database } from '../../database/database.js'
import { scopeName } from '../scope.js'
import { notMuted } from './muted-store.js'
import type { SealedReceiver } from './message-store.js'
import type { PostedAlert } from './send/alertmanager.js'

/** A receiver that gets the state of all alerts. */
export interface StateReceiver extends SealedReceiver {
  readonly clusterId: number | null
  readonly leastSeverity: string
  readonly sendResolved: boolean
}

export type AlertmanagerStore = ReturnType<typeof createAlertmanagerStore>

export function createAlertmanagerStore({ prisma }: Database) {
  return {
    async listReceivers(): Promise<readonly StateReceiver[]> {
      const rows = await prisma.alertReceiver.findMany({ where: { kind: 'alertmanager', enabled: true } })
      return rows.map((row) => ({ ...row, kind: row.kind as AlertReceiverKind }))
    },
    /** Alerts that fire, or have ended since then; not those that are acknowledged, until they end. */
    async listAlerts(receiver: StateReceiver, endedSince: Date): Promise<readonly PostedAlert[]> {
      const { clusterId, leastSeverity, sendResolved } = receiver
      const lasting = { openKey: { not: null }, state: { in: ['firing', 'unknown'] }, ...notMuted }
      const rows = await prisma.alert.findMany({
        include: { cluster: { select: { name: true } } },
        where: {
          firedAt: { not: null },
          ...(clusterId !== null && { clusterId }),
          ...(leastSeverity === 'critical' && { severity: 'critical' }),
          OR: [lasting, ...(sendResolved ? [{ resolvedAt: { gte: endedSince } }] : [])],
        },
        orderBy: { id: 'asc' },
      })
      return rows.map((row) => ({
        code: row.code,
        cluster: scopeName(row.cluster),
        fingerprint: row.fingerprint,
        severity: row.severity,
        node: row.hostname,
        subject: row.subject,
        summary: row.summary,
        remedy: row.remedy,
        uri: resourceUri('alerts', row.id),
        firedAt: (row.firedAt ?? row.startedAt).toISOString(),
        resolvedAt: row.resolvedAt?.toISOString() ?? null,
      }))
    },
    async sent(receiverId: number, at: Date): Promise<void> {
      await prisma.alertReceiver.updateMany({
        where: { id: receiverId },
        data: { lastDeliveredAt: at, lastError: '' },
      })
    },
    async failed(receiverId: number, error: string, at: Date): Promise<void> {
      await prisma.alertReceiver.updateMany({
        where: { id: receiverId },
        data: { lastError: error, lastErrorAt: at },
      })
    },
  }
}
