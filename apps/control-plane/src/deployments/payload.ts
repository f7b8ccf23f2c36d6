import type { DeploymentKind, DesiredState } from '@roost/api-types/agent'
import type { Transaction } from '../audit/store.js'
import type { Secrets } from '../secrets.js'
import type { StateStore } from './state-store.js'

/** What is to hold on a node now, as its feature reads it, for each kind of deployment. */
export type DesiredSources = {
  readonly [K in DeploymentKind]: (tx: Transaction, nodeId: number) => Promise<DesiredState & { readonly kind: K }>
}

export interface Payloads {
  /** JSON of what operators want now, or of the generation to return to; undefined when that is not kept any more. */
  read(tx: Transaction, kind: DeploymentKind, nodeId: number, returnTo: number | null): Promise<string | undefined>
}

export function createPayloads(sources: DesiredSources, store: StateStore, secrets: Secrets): Payloads {
  return {
    async read(tx, kind, nodeId, returnTo) {
      if (returnTo === null) return JSON.stringify(await sources[kind](tx, nodeId))
      const sealed = await store.findPayload(tx, nodeId, kind, returnTo)
      return sealed === undefined ? undefined : secrets.open('desired-state', sealed)
    },
  }
}
