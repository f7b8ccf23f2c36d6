import type { DesiredUser } from '@roost/api-types/agent'
import type { Transaction } from '../database/transaction.js'
import type { Secrets } from '../secrets/secrets.js'

/** The enabled users of a node's cluster as a proxy's authentication needs them, by id. Read in the caller's transaction. */
export function createDesiredUsers(secrets: Secrets): (tx: Transaction, nodeId: number) => Promise<DesiredUser[]> {
  return async (tx, nodeId) => {
    const { clusterId } = await tx.node.findUniqueOrThrow({ select: { clusterId: true }, where: { id: nodeId } })
    const rows = await tx.user.findMany({ where: { clusterId, enabled: true }, orderBy: { id: 'asc' } })
    return rows.map(({ name, isSuperuser, password }) => ({
      user: name,
      password: secrets.open('user-password', password, `'${name}'`),
      is_superuser: isSuperuser,
    }))
  }
}
