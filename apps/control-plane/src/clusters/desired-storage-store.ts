import type { StorageLogin } from '@roost/api-types/agent'
import type { Database } from '../database/database.js'
import type { Transaction } from '../database/transaction.js'
import type { Secrets } from '../secrets/secrets.js'
import { recordOf, type StorageRow } from './storage-store.js'

/** Reads the login with which a node's gateway mounts containers, in the caller's transaction; null until an operator has set it. */
export function createDesiredStorage(
  secrets: Secrets,
): (tx: Transaction, nodeId: number) => Promise<StorageLogin | null> {
  return async (tx, nodeId) => {
    const login = await tx.storageLogin.findFirst({ where: { cluster: { nodes: { some: { id: nodeId } } } } })
    return login === null ? null : desiredLogin(login, secrets.open('storage-key', login.key))
  }
}

/** Reads the login of a cluster with its key; null until an operator has set it. Throws SecretError where it cannot be decrypted. */
export function createStorageReader(
  { prisma }: Pick<Database, 'prisma'>,
  secrets: Pick<Secrets, 'open'>,
): (clusterId: number) => Promise<StorageLogin | null> {
  return async (clusterId) => {
    const login = await prisma.storageLogin.findUnique({ where: { clusterId } })
    return login === null ? null : desiredLogin(login, secrets.open('storage-key', login.key))
  }
}

/** Leaves out the fields that are not set: agents of 0.1.0 know three of them. */
function desiredLogin(row: StorageRow, key: string): StorageLogin {
  const { cluster: _, auth_url, auth_version: version, user, ...later } = recordOf(row)
  const set = Object.fromEntries(Object.entries(later).filter(([, value]) => value !== null))
  return { auth_url, user: user ?? '', key, ...(version === 1 ? {} : { auth_version: version }), ...set }
}
