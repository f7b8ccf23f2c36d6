import { resourceUri } from '@roost/api-types/rest'
import type { ClusterStorage } from '@roost/api-types/rest'
import type { Transaction } from '../database/transaction.js'
import type { Database } from '../database/database.js'

export interface SealedLogin {
  readonly auth_url: string
  readonly user: string
  readonly key: Uint8Array<ArrayBuffer>
}

/** The cluster is there; whether it has a login is another question. */
interface Found {
  readonly login: ClusterStorage | null
}

export interface ClusterStorageStore {
  /** Undefined when there is no such cluster. */
  find(clusterId: number): Promise<Found | undefined>
  /** Keeps others from changing the cluster until the transaction ends. */
  findForUpdate(tx: Transaction, clusterId: number): Promise<Found | undefined>
  upsert(tx: Transaction, clusterId: number, login: SealedLogin): Promise<ClusterStorage>
  delete(tx: Transaction, clusterId: number): Promise<void>
  /** How many enabled shares its gateways are to serve. */
  countShares(tx: Transaction, clusterId: number): Promise<number>
}

/** The key stays in the database: only what nodes are to hold reads it. */
const shown = { clusterId: true, authUrl: true, user: true } as const

export function createClusterStorageStore({ prisma }: Database): ClusterStorageStore {
  return {
    find: (clusterId) => findIn(prisma, clusterId),
    async findForUpdate(tx, clusterId) {
      await tx.$queryRaw`select id from clusters where id = ${clusterId} for update`
      return findIn(tx, clusterId)
    },
    async upsert(tx, clusterId, { auth_url: authUrl, user, key }) {
      const data = { authUrl, user, key }
      const create = { clusterId, ...data }
      return recordOf(await tx.storageLogin.upsert({ select: shown, where: { clusterId }, create, update: data }))
    },
    async delete(tx, clusterId) {
      await tx.storageLogin.deleteMany({ where: { clusterId } })
    },
    countShares: (tx, clusterId) => tx.gatewayShare.count({ where: { clusterId, enabled: true } }),
  }
}

async function findIn(tx: Pick<Transaction, 'cluster'>, id: number): Promise<Found | undefined> {
  const row = await tx.cluster.findUnique({ select: { storage: { select: shown } }, where: { id } })
  if (row === null) return undefined
  return { login: row.storage === null ? null : recordOf(row.storage) }
}

function recordOf(row: { readonly clusterId: number; readonly authUrl: string; readonly user: string }) {
  return { cluster: resourceUri('clusters', row.clusterId), auth_url: row.authUrl, user: row.user }
}
