import { resourceUri } from '@roost/api-types/rest'
import { ClusterStorage } from '@roost/api-types/rest'
import type { Transaction } from '../database/transaction.js'
import type { Database } from '../database/database.js'

/** A login as it is stored: every field is there, and the key is encrypted. */
export interface SealedLogin extends Omit<ClusterStorage, 'cluster'> {
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
const shown = {
  clusterId: true,
  authUrl: true,
  authVersion: true,
  user: true,
  userDomain: true,
  project: true,
  projectDomain: true,
  region: true,
  interface: true,
  applicationCredentialId: true,
  applicationCredentialName: true,
  ca: true,
} as const

/** The columns of a login without its key. */
export interface StorageRow {
  readonly clusterId: number
  readonly authUrl: string
  readonly authVersion: number
  readonly user: string | null
  readonly userDomain: string | null
  readonly project: string | null
  readonly projectDomain: string | null
  readonly region: string | null
  readonly interface: string | null
  readonly applicationCredentialId: string | null
  readonly applicationCredentialName: string | null
  readonly ca: string | null
}

export function createClusterStorageStore({ prisma }: Database): ClusterStorageStore {
  return {
    find: (clusterId) => findIn(prisma, clusterId),
    async findForUpdate(tx, clusterId) {
      await tx.$queryRaw`select id from clusters where id = ${clusterId} for update`
      return findIn(tx, clusterId)
    },
    async upsert(tx, clusterId, login) {
      const data = columnsOf(login)
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

function columnsOf(login: SealedLogin) {
  return {
    authUrl: login.auth_url,
    authVersion: login.auth_version,
    user: login.user,
    userDomain: login.user_domain,
    project: login.project,
    projectDomain: login.project_domain,
    region: login.region,
    interface: login.interface,
    applicationCredentialId: login.application_credential_id,
    applicationCredentialName: login.application_credential_name,
    ca: login.ca,
    key: login.key,
  }
}

/** Returns a login as the API shows it. */
export function recordOf(row: StorageRow): ClusterStorage {
  return ClusterStorage.parse({
    cluster: resourceUri('clusters', row.clusterId),
    auth_url: row.authUrl,
    auth_version: row.authVersion,
    user: row.user,
    user_domain: row.userDomain,
    project: row.project,
    project_domain: row.projectDomain,
    region: row.region,
    interface: row.interface,
    application_credential_id: row.applicationCredentialId,
    application_credential_name: row.applicationCredentialName,
    ca: row.ca,
  } satisfies Record<keyof ClusterStorage, unknown>)
}
