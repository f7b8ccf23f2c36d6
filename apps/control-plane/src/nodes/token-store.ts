import type { Transaction } from '../database/transaction.js'
import type { Database } from '../database/database.js'

export interface NewToken {
  readonly clusterId: number
  readonly digest: Uint8Array<ArrayBuffer>
  readonly usesLeft: number
  readonly roles: string[]
  readonly createdAt: Date
  readonly expiresAt: Date
}

export interface TokenStore {
  /** The name of a cluster, undefined where there is none. */
  clusterName(id: number): Promise<string | undefined>
  /** Answers its id. */
  insert(tx: Transaction, token: NewToken): Promise<number>
}

export function createTokenStore({ prisma }: Pick<Database, 'prisma'>): TokenStore {
  return {
    async clusterName(id) {
      return (await prisma.cluster.findUnique({ where: { id }, select: { name: true } }))?.name
    },
    async insert(tx, data) {
      return (await tx.enrollmentToken.create({ data, select: { id: true } })).id
    },
  }
}
