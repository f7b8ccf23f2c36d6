import { type DeploymentKind, type DesiredState, withoutDefaults } from '@roost/api-types/agent'
import type { Transaction } from '../database/transaction.js'
import { SecretError } from '../secrets/secrets.js'
import type { Secrets } from '../secrets/secrets.js'
import { notGranted } from './kinds.js'
import type { StateStore } from './state-store.js'

/** For each kind of deployment, how the current desired state of a node is read. */
export type DesiredSources = {
  readonly [K in DeploymentKind]: (tx: Transaction, nodeId: number) => Promise<DesiredState & { readonly kind: K }>
}

export interface Payloads {
  /** What operators want now, or the generation to return to. */
  read(tx: Transaction, kind: DeploymentKind, nodeId: number, returnTo: number | null): Promise<Payload>
  /** What operators want now, of a node that is approved. */
  current(tx: Transaction, kind: DeploymentKind, nodeId: number): Promise<Payload>
}

/** JSON of a desired state, or why there is none: the node is not approved, it is no longer stored, or a secret cannot be decrypted. */
export type Payload = { readonly payload: string } | { readonly error: string }

export function createPayloads(sources: DesiredSources, store: StateStore, secrets: Secrets): Payloads {
  const current: Payloads['current'] = (tx, kind, nodeId) =>
    orReason(async () => ({ payload: JSON.stringify(withoutDefaults(await sources[kind](tx, nodeId))) }))
  return {
    current,
    async read(tx, kind, nodeId, returnTo) {
      if (!(await store.isGranted(tx, nodeId, kind))) return { error: notGranted(kind) }
      if (returnTo === null) return current(tx, kind, nodeId)
      const sealed = await store.findPayload(tx, nodeId, kind, returnTo)
      if (sealed === undefined) return { error: notKept(returnTo) }
      return orReason(async () => ({ payload: secrets.open('desired-state', sealed) }))
    },
  }
}

/** Returns the reason where a secret cannot be decrypted. */
async function orReason(read: () => Promise<Payload>): Promise<Payload> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof SecretError) return { error: error.message }
    throw error
  }
}

export function notKept(generation: number): string {
  return `Generation ${generation} of this node is no longer stored.`
}
