import type { Caller } from '@roost/api-types/rpc'
import type { Database } from '../db.js'

export interface NewToken {
  readonly clusterId: number
  readonly digest: Uint8Array<ArrayBuffer>
  readonly usesLeft: number
  readonly createdAt: Date
  readonly expiresAt: Date
}

export interface TokenStore {
  /** The name of a cluster, undefined where there is none. */
  clusterName(id: number): Promise<string | undefined>
  /** Answers its id. */
  insert(token: NewToken, caller: Caller): Promise<number>
}

export function createTokenStore({ prisma }: Pick<Database, 'prisma'>): TokenStore {
  return {
    async clusterName(id) {
      return (await prisma.cluster.findUnique({ where: { id }, select: { name: true } }))?.name
    },
    insert: (token, caller) =>
      prisma.$transaction(async (tx) => {
        const { id } = await tx.enrolmentToken.create({ data: token, select: { id: true } })
        await tx.auditEvent.create({
          data: {
            operator: caller.operator,
            keyId: caller.keyId,
            address: caller.address,
            requestId: caller.requestId,
            action: 'create',
            resource: 'enrolment_tokens',
            resourceId: id,
            changes: {
              cluster: [null, token.clusterId],
              uses: [null, token.usesLeft],
              expires: [null, token.expiresAt.toISOString()],
            },
          },
        })
        return id
      }),
  }
}
