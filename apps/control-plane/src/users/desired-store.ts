import type { DesiredState, DesiredUser } from '@roost/api-types/agent'
import type { Transaction } from '../database/transaction.js'
import type { Secrets } from '../secrets/secrets.js'

type DesiredUsers = DesiredState & { readonly kind: 'user_db' }

/** The enabled users of a node's cluster as a proxy's authentication needs them, by id. Read in the caller's transaction. */
export function createDesiredUsers(secrets: Secrets): (tx: Transaction, nodeId: number) => Promise<DesiredUsers> {
  return async (tx, nodeId) => {
    const { clusterId } = await tx.node.findUniqueOrThrow({ select: { clusterId: true }, where: { id: nodeId } })
    const rows = await tx.user.findMany({ where: { clusterId, enabled: true }, orderBy: { id: 'asc' } })
    const users = rows.map(({ name, isSuperuser, password, adoptedLine: line, adoptedGroups: groups }): DesiredUser => {
      const known = password === null ? null : secrets.open('user-password', password, `'${name}'`)
      const adopted = line === null ? {} : { adopted: { line, groups } }
      return { user: name, password: known, is_superuser: isSuperuser, ...adopted }
    })
    const blocked = await blockedLines(tx, clusterId)
    return { kind: 'user_db', users, ...(blocked.length > 0 && { blocked }) }
  }
}

/** Lines that the operators of the proxies have of users who were adopted, and are disabled now or were removed. */
async function blockedLines(tx: Transaction, clusterId: number): Promise<string[]> {
  const select = { adoptedLine: true }
  const disabled = await tx.user.findMany({ select, where: { clusterId, enabled: false, adoptedLine: { not: null } } })
  const removed = await tx.removedAdoption.findMany({ select: { source: true }, where: { clusterId, projectId: null } })
  const lines = [...disabled.flatMap(({ adoptedLine }) => adoptedLine ?? []), ...removed.map(({ source }) => source)]
  return lines.toSorted()
}
