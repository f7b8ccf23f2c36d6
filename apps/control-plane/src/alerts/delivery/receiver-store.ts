import type { Severity } from '@roost/api-types/checks'
import { resourceUri } from '@roost/api-types/rest'
import type { AlertReceiver, AlertReceiverKind } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Database } from '../../database/database.js'
import { tableStore } from '../../database/table-store.js'
import type { Transaction } from '../../database/transaction.js'
import type { SealedReceiver } from './message-store.js'

/** `revision` rises with each change, also with one that the record does not show. */
export type StoredReceiver = AlertReceiver & { readonly revision: number }

/** The fields of a receiver whose settings are encrypted. */
export type ReceiverFields = Pick<
  Prisma.AlertReceiverUncheckedCreateInput,
  | 'name'
  | 'kind'
  | 'target'
  | 'settings'
  | 'settingsChangedAt'
  | 'clusterId'
  | 'leastSeverity'
  | 'sendResolved'
  | 'enabled'
  | 'setName'
>

export type ReceiverStore = ReturnType<typeof createReceiverStore>

// Never the settings: what is not read cannot leak.
const shown = { omit: { settings: true } } as const
type Row = Prisma.AlertReceiverGetPayload<typeof shown>

export function createReceiverStore(database: Database) {
  const { prisma } = database
  const sealed = { id: true, name: true, kind: true, settings: true } as const
  return {
    ...tableStore(database, resources.alertReceivers, {
      model: 'AlertReceiver',
      shown,
      recordOf,
      columns: { set: 'setName' },
    }),
    async insert(tx: Transaction, data: ReceiverFields): Promise<StoredReceiver> {
      return recordOf(await tx.alertReceiver.create({ data, ...shown }))
    },
    /** Messages that wait for another attempt are sent soon. */
    async update(tx: Transaction, id: number, change: Partial<ReceiverFields>, at: Date): Promise<StoredReceiver> {
      await tx.alertDelivery.updateMany({ where: { receiverId: id, state: 'waiting' }, data: { nextAt: at } })
      const data = { ...change, revision: { increment: 1 } }
      return recordOf(await tx.alertReceiver.update({ where: { id }, data, ...shown }))
    },
    async findSealed(
      id: number,
      from: Pick<Transaction, 'alertReceiver'> = prisma,
    ): Promise<SealedReceiver | undefined> {
      const row = await from.alertReceiver.findUnique({ select: sealed, where: { id } })
      return row === null ? undefined : { ...row, kind: row.kind as AlertReceiverKind }
    },
  }
}

function recordOf(row: Row): StoredReceiver {
  const { id, name, target, enabled, revision, clusterId, sendResolved, lastDeliveredAt, lastErrorAt, setName } = row
  return {
    id,
    name,
    target,
    enabled,
    revision,
    resource_uri: resourceUri('alert_receivers', id),
    kind: row.kind as AlertReceiverKind,
    settings_changed_at: row.settingsChangedAt?.toISOString() ?? null,
    cluster: clusterId === null ? null : resourceUri('clusters', clusterId),
    least_severity: row.leastSeverity as Severity,
    send_resolved: sendResolved,
    last_delivered_at: lastDeliveredAt?.toISOString() ?? null,
    last_error: row.lastError,
    last_error_at: lastErrorAt?.toISOString() ?? null,
    ...(setName !== null && { set: setName }),
  }
}
