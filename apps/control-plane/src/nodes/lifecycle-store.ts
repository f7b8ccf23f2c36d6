import type { Caller } from '@roost/api-types/rpc'
import type { Database } from '../db.js'

/** A node that is about to be removed, locked. */
export interface LeavingNode {
  readonly hostname: string
  readonly state: string
  readonly shares: number
}

export interface LifecycleStore {
  /** `mayLeave` looks at the locked node and throws to keep it. Answers false where there is none. */
  revoke(id: number, caller: Caller, mayLeave: (node: LeavingNode) => void): Promise<boolean>
}

export function createLifecycleStore({ prisma }: Pick<Database, 'prisma'>): LifecycleStore {
  return {
    revoke: (id, caller, mayLeave) =>
      prisma.$transaction(async (tx) => {
        await tx.$queryRaw`select id from nodes where id = ${id} for update`
        const node = await tx.node.findUnique({ where: { id } })
        if (node === null) return false
        const { hostname, state, uuid, publicKey } = node
        mayLeave({ hostname, state, shares: await tx.gatewayShare.count({ where: { nodeId: id } }) })
        await tx.revokedNode.upsert({
          where: { publicKey },
          create: { publicKey, nodeUuid: uuid, hostname },
          update: { nodeUuid: uuid, hostname, revokedAt: new Date() },
        })
        await tx.node.delete({ where: { id } })
        await tx.auditEvent.create({
          data: {
            operator: caller.operator,
            keyId: caller.keyId,
            address: caller.address,
            requestId: caller.requestId,
            action: 'remove',
            resource: 'nodes',
            resourceId: id,
            changes: { hostname: [hostname, null], uuid: [uuid, null], state: [state, null] },
          },
        })
        return true
      }),
  }
}
