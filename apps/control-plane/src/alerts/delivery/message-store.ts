import { resourceUri } from '@roost/api-types/rest'
import type { AlertReceiverKind } from '@roost/api-types/rest'
import type { Prisma } from '@roost/database'
import type { Database } from '../../database/database.js'
import { Message } from './send/message.js'
import type { MessageAlert } from './send/message.js'
import { scopeName } from '../scope.js'
import { isMuted, notMuted } from './muted-store.js'

export interface SealedReceiver {
  readonly id: number
  readonly name: string
  readonly kind: AlertReceiverKind
  readonly settings: Uint8Array
}

/** What is sent to a receiver; null: nothing any more. */
export interface Sendable {
  readonly receiver: SealedReceiver
  readonly message: Message | null
}

export interface MessageStore {
  /** Reads the message of a claimed delivery, and stores it with the first attempt. */
  open(id: number): Promise<Sendable | undefined>
}

/** A message names at most so many alerts. */
const mostNamed = 10

const withAlerts = {
  receiver: { select: { id: true, name: true, kind: true, settings: true } },
  cluster: { select: { name: true } },
  notices: { include: { alert: true }, orderBy: { alertId: 'asc' } },
} as const satisfies Prisma.AlertDeliveryInclude
type DeliveryRow = Prisma.AlertDeliveryGetPayload<{ include: typeof withAlerts }>
type AlertRow = Prisma.AlertGetPayload<object>

export function createMessageStore({ prisma }: Database): MessageStore {
  return {
    async open(id: number): Promise<Sendable | undefined> {
      const row = await prisma.alertDelivery.findUnique({ include: withAlerts, where: { id } })
      if (row === null) return undefined
      const { receiver, notices } = row
      const muted = notices.filter(({ alert }) => isLeftOut(alert)).map(({ alertId }) => alertId)
      // Without a notice they are news again, should they be muted no longer.
      await prisma.alertNotice.deleteMany({ where: { receiverId: row.receiverId, alertId: { in: muted } } })
      const sent = { ...receiver, kind: receiver.kind as AlertReceiverKind }
      const isMoot = muted.length === notices.length
      // A message without notices has an alert that has ended since, which is another message.
      if (row.message !== null && !(isMoot && muted.length > 0))
        return { receiver: sent, message: Message.parse(row.message) }
      if (isMoot) return { receiver: sent, message: null }
      const message = messageOf(row, await others(row))
      await prisma.alertDelivery.update({ where: { id }, data: { message } })
      return { receiver: sent, message }
    },
  }

  /** Alerts of the group that the receiver knows already, as far as a message can name them, with their number. */
  async function others({ id, receiverId, clusterId, code }: DeliveryRow) {
    const where = {
      receiverId,
      isResolved: false,
      OR: [{ deliveryId: null }, { deliveryId: { not: id } }],
      alert: { clusterId, code, openKey: { not: null }, ...notMuted },
    }
    const rows = await prisma.alertNotice.findMany({
      include: { alert: true },
      where,
      orderBy: { alertId: 'asc' },
      take: mostNamed,
    })
    return { alerts: rows.map(({ alert }) => alert), total: await prisma.alertNotice.count({ where }) }
  }
}

function messageOf(
  { code, cluster, notices }: DeliveryRow,
  others: { readonly alerts: readonly AlertRow[]; readonly total: number },
): Message {
  const news = notices.map(({ alert }) => alert).filter((alert) => !isLeftOut(alert))
  const named = [...news, ...others.alerts].slice(0, mostNamed)
  const resolved = news.filter(({ state }) => state === 'resolved').length
  const firing = news.length - resolved + others.total
  const omitted = news.length + others.total - named.length
  return { code, cluster: scopeName(cluster), alerts: named.map(messageAlert), omitted, firing, resolved }
}

function messageAlert(row: AlertRow): MessageAlert {
  const { id, fingerprint, severity, hostname, subject, summary, remedy, startedAt, firedAt, resolvedAt } = row
  return {
    fingerprint,
    severity,
    node: hostname,
    subject,
    summary,
    remedy,
    uri: resourceUri('alerts', id),
    firedAt: (firedAt ?? startedAt).toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
  }
}

/** Its end is sent. */
function isLeftOut(row: AlertRow): boolean {
  return row.state !== 'resolved' && isMuted(row)
}
