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

export interface StoredToken {
  readonly id: number
  /** The name of its cluster. */
  readonly cluster: string
  readonly usesLeft: number
  readonly roles: readonly string[]
  readonly expiresAt: Date
}

export interface TokenStore {
  /** The name of a cluster, undefined where there is none. */
  clusterName(id: number): Promise<string | undefined>
  /** Answers its id. */
  insert(tx: Transaction, token: NewToken): Promise<number>
  /** Returns those that are valid at that time, by id. */
  listValid(at: Date): Promise<StoredToken[]>
  /** Returns the removed token; undefined where none is valid at that time. */
  removeValid(tx: Transaction, id: number, at: Date): Promise<StoredToken | undefined>
}

const select = { id: true, usesLeft: true, roles: true, expiresAt: true, cluster: { select: { name: true } } } as const

const validAt = (at: Date) => ({ usesLeft: { gt: 0 }, expiresAt: { gt: at } })

function tokenOf({ cluster, ...row }: Omit<StoredToken, 'cluster'> & { readonly cluster: { readonly name: string } }) {
  return { ...row, cluster: cluster.name }
}

export function createTokenStore({ prisma }: Pick<Database, 'prisma'>): TokenStore {
  return {
    async clusterName(id) {
      return (await prisma.cluster.findUnique({ where: { id }, select: { name: true } }))?.name
    },
    async insert(tx, data) {
      return (await tx.enrollmentToken.create({ data, select: { id: true } })).id
    },
    async listValid(at) {
      const rows = await prisma.enrollmentToken.findMany({ where: validAt(at), select, orderBy: { id: 'asc' } })
      return rows.map(tokenOf)
    },
    async removeValid(tx, id, at) {
      // An enrollment locks the token's row; of two that remove it, the second finds none.
      const row = await tx.enrollmentToken.findFirst({ where: { id, ...validAt(at) }, select })
      if (row === null) return undefined
      const { count } = await tx.enrollmentToken.deleteMany({ where: { id } })
      return count === 0 ? undefined : tokenOf(row)
    },
  }
}
