import { resourceUri } from '@roost/api-types/rest'
import type { ClusterIdentity } from '@roost/api-types/rest'
import type { Database } from '../database/database.js'
import type { Transaction } from '../database/transaction.js'
import type { KeystoneLogin } from './keystone/login.js'
import { identityUri } from './uri.js'

/** A row without its cluster and its key. */
export interface IdentitySettings extends Omit<KeystoneLogin, 'key'> {
  readonly domain: string
  readonly role: string
  readonly resellerRole: string
}

/** The cluster exists; it may have no identity service. */
interface Found {
  readonly identity: ClusterIdentity | null
}

export interface IdentityServiceStore {
  /** Undefined when there is no such cluster. */
  find(clusterId: number): Promise<Found | undefined>
  /** Keeps others from changing the cluster until the transaction ends. */
  findForUpdate(tx: Transaction, clusterId: number): Promise<Found | undefined>
  upsert(
    tx: Transaction,
    clusterId: number,
    service: IdentitySettings & { readonly key: Uint8Array<ArrayBuffer> },
  ): Promise<ClusterIdentity>
  delete(tx: Transaction, clusterId: number): Promise<void>
  /** Forgets what the users of the cluster are in Keystone. */
  forgetUsers(tx: Transaction, clusterId: number): Promise<void>
}

/** What Keystone should have follows from these alone, and the key. */
export const settingColumns = {
  authUrl: true,
  user: true,
  userDomain: true,
  project: true,
  projectDomain: true,
  applicationCredentialId: true,
  ca: true,
  domain: true,
  role: true,
  resellerRole: true,
} as const

/** The key stays in the database: only deployments read it. */
const shown = { clusterId: true, ...settingColumns } as const

export function createIdentityServiceStore({ prisma }: Database): IdentityServiceStore {
  return {
    find: (clusterId) => findIn(prisma, clusterId),
    async findForUpdate(tx, clusterId) {
      await tx.$queryRaw`select id from clusters where id = ${clusterId} for update`
      return findIn(tx, clusterId)
    },
    async upsert(tx, clusterId, service) {
      const [where, create] = [{ clusterId }, { clusterId, ...service }]
      const update = { ...service, state: 'unknown', stateDetail: '', checkedAt: null, syncedMark: null }
      return recordOf(await tx.identityService.upsert({ select: shown, where, create, update }))
    },
    async delete(tx, clusterId) {
      await tx.identityService.deleteMany({ where: { clusterId } })
    },
    async forgetUsers(tx, clusterId) {
      const data = { projectId: null, login: null, identityPasswordRevision: null, adoptedIdentityUser: null }
      await tx.user.updateMany({ where: { clusterId, projectId: { not: null } }, data })
      await tx.removedAdoption.deleteMany({ where: { clusterId, projectId: { not: null } } })
    },
  }
}

async function findIn(tx: Pick<Transaction, 'cluster'>, id: number): Promise<Found | undefined> {
  const row = await tx.cluster.findUnique({ select: { identity: { select: shown } }, where: { id } })
  if (row === null) return undefined
  return { identity: row.identity === null ? null : recordOf(row.identity) }
}

function recordOf({ clusterId, ...row }: IdentitySettings & { readonly clusterId: number }): ClusterIdentity {
  return {
    cluster: resourceUri('clusters', clusterId),
    resource_uri: identityUri(clusterId),
    auth_url: row.authUrl,
    user: row.user,
    user_domain: row.userDomain,
    project: row.project,
    project_domain: row.projectDomain,
    application_credential_id: row.applicationCredentialId,
    ca: row.ca,
    domain: row.domain,
    role: row.role,
    reseller_role: row.resellerRole,
  }
}
