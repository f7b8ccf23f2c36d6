import type { DesiredState } from '@roost/api-types/agent'
import { resourceUri } from '@roost/api-types/rest'
import type { GrantableRole } from '@roost/api-types/rest'
import type { Transaction } from '../database/transaction.js'
import { SecretError } from '../secrets/secrets.js'
import type { Secrets } from '../secrets/secrets.js'
import { deploymentKinds } from './kinds.js'

/** Lists what a node has received passwords of in its role: URIs of users, of shares, and of the cluster of a storage login. */
export type KnownPasswords = (tx: Transaction, nodeId: number, role: GrantableRole) => Promise<readonly string[]>

/** Reads them from the generations that are kept; records that were removed since are left out. */
export function createKnownPasswords(secrets: Secrets): KnownPasswords {
  return async (tx, nodeId, role) => {
    const kinds = Object.entries(deploymentKinds).filter(([, { grant }]) => grant === role)
    const where = { nodeId, kind: { in: kinds.map(([kind]) => kind) } }
    const rows = await tx.generation.findMany({ where, select: { payload: true } })
    const states = rows.flatMap(({ payload }) => readState(secrets, payload))
    const { clusterId } = await tx.node.findUniqueOrThrow({ where: { id: nodeId }, select: { clusterId: true } })
    const names = states.flatMap((state) => (state.kind === 'user_db' ? state.users.map(({ user }) => user) : []))
    const users = await tx.user.findMany({ where: { clusterId, name: { in: names } }, ...idsInOrder })
    const shares = await tx.gatewayShare.findMany({ where: { id: { in: states.flatMap(sharesOf) } }, ...idsInOrder })
    const hasLogin = states.some((state) => state.kind === 'gateway' && state.storage !== null)
    return [
      ...users.map(({ id }) => resourceUri('users', id)),
      ...shares.map(({ id }) => resourceUri('gateway_shares', id)),
      ...(hasLogin ? [resourceUri('clusters', clusterId)] : []),
    ]
  }
}

const idsInOrder = { select: { id: true }, orderBy: { id: 'asc' } } as const

/** Leaves out what this key file cannot decrypt: those passwords have to be set again in any case. */
function readState(secrets: Secrets, payload: Uint8Array): readonly DesiredState[] {
  try {
    return [JSON.parse(secrets.open('desired-state', payload)) as DesiredState]
  } catch (error) {
    if (error instanceof SecretError) return []
    throw error
  }
}

function sharesOf(state: DesiredState): readonly number[] {
  if (state.kind !== 'gateway') return []
  return state.shares.flatMap((share) => (share.protocol === 'cifs' && share.password != null ? [share.id] : []))
}
