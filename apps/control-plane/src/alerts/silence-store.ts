import { AlertSilenceChange, resourceUri } from '@roost/api-types/rest'
import type { AlertSilence, AlertSilenceInput } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Database } from '../database/database.js'
import { lockInserts } from '../database/insert-order.js'
import { columnWriter } from '../database/table-fields.js'
import { tableStore } from '../database/table-store.js'
import type { Transaction } from '../database/transaction.js'

type Row = Prisma.AlertSilenceGetPayload<object>

export type SilenceStore = ReturnType<typeof createSilenceStore>

export function createSilenceStore(database: Database) {
  const table = tableStore(database, resources.alertSilences, { model: 'AlertSilence', recordOf })
  return {
    ...table,
    async insert(tx: Transaction, input: AlertSilenceInput, by: { readonly operator: string; readonly at: Date }) {
      await lockInserts(tx, 'alert_silences')
      const { matchers, starts_at: startsAt, ends_at: endsAt, until_worse: untilWorse, comment } = input
      const { cluster = null, node = null, device = null, code = null, subject = null } = matchers
      const matched = { clusterId: cluster, nodeId: node, deviceId: device, code, subject }
      const times = { startsAt: startsAt ?? by.at, endsAt }
      return recordOf(
        await tx.alertSilence.create({ data: { ...matched, ...times, untilWorse, comment, operator: by.operator } }),
      )
    },
    async update(tx: Transaction, id: number, change: AlertSilenceChange): Promise<AlertSilence> {
      return recordOf(await tx.alertSilence.update({ where: { id }, data: changed(change) }))
    },
    /** Returns the first relation of the matchers that does not exist. */
    async missing(tx: Transaction, { cluster, node, device }: AlertSilenceInput['matchers']) {
      const counts = [
        ['clusters', cluster, (id: number) => tx.cluster.count({ where: { id } })],
        ['nodes', node, (id: number) => tx.node.count({ where: { id } })],
        ['devices', device, (id: number) => tx.device.count({ where: { id } })],
      ] as const
      for (const [resource, id, count] of counts) if (id != null && (await count(id)) === 0) return { resource, id }
      return undefined
    },
  }
}

const changed = columnWriter(AlertSilenceChange, {})

function uriOf(resource: string, id: number | null): string | null {
  return id === null ? null : resourceUri(resource, id)
}

function recordOf(row: Row): AlertSilence {
  const { id, code, subject, untilWorse: until_worse, comment, operator } = row
  return {
    id,
    resource_uri: resourceUri('alert_silences', id),
    matchers: {
      cluster: uriOf('clusters', row.clusterId),
      node: uriOf('nodes', row.nodeId),
      device: uriOf('devices', row.deviceId),
      code,
      subject,
    },
    until_worse,
    starts_at: row.startsAt.toISOString(),
    ends_at: row.endsAt.toISOString(),
    comment,
    operator,
  }
}
