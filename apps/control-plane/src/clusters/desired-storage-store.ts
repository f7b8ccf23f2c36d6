import type { StorageLogin } from '@roost/api-types/agent'
import type { Transaction } from '../database/transaction.js'
import type { Secrets } from '../secrets/secrets.js'

/** With what a node's gateway mounts containers; null until an operator has set it. Read in the caller's transaction. */
export function createDesiredStorage(
  secrets: Secrets,
): (tx: Transaction, nodeId: number) => Promise<StorageLogin | null> {
  return async (tx, nodeId) => {
    const login = await tx.storageLogin.findFirst({ where: { cluster: { nodes: { some: { id: nodeId } } } } })
    if (login === null) return null
    return { auth_url: login.authUrl, user: login.user, key: secrets.open('storage-key', login.key) }
  }
}
