import type { MountRestoredMessage } from '@roost/api-types/agent'
import { insertAuditEvent } from '../database/audit-event.js'
import type { Database } from '../database/database.js'

export interface RestoredStore {
  /** False when the share is not the node's. At most `perHour` events of a share in an hour are kept, and each once. */
  insert(nodeId: number, message: MountRestoredMessage, perHour: number): Promise<boolean>
}

const action = 'restored'
const resource = 'gateway_shares'

export function createRestoredStore({ prisma }: Database): RestoredStore {
  return {
    insert: (nodeId, { share, sequence, time, reason }, perHour) =>
      prisma.$transaction(async (tx) => {
        const owner = await tx.gatewayShare.findFirst({
          select: { node: { select: { uuid: true } } },
          where: { id: share, nodeId },
        })
        if (owner === null) return false
        const at = new Date(time * 1_000)
        const operator = `agent ${owner.node.uuid}`
        const where = { action, resource, resourceId: share } as const
        const anHourAgo = new Date(Date.now() - 3_600_000)
        const recent = await tx.auditEvent.count({ where: { ...where, at: { gte: anHourAgo } } })
        const path = ['message', '1']
        const known = await tx.auditEvent.count({ where: { ...where, operator, changes: { path, equals: sequence } } })
        if (recent >= perHour || known > 0) return true
        await insertAuditEvent(tx, {
          ...where,
          operator,
          keyId: null,
          address: '',
          requestId: '',
          changes: { restored: [null, at.toISOString()], reason: [null, reason], message: [null, sequence] },
        })
        return true
      }),
  }
}
