import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { ConfigState, Drift } from '@roost/api-types/rest'
import type { Caller, DriftService } from '@roost/api-types/rpc'
import type { Writes } from '../audit/service.js'
import type { StateStore } from './state-store.js'

export interface DriftCollaborators {
  readonly store: StateStore
  readonly writes: Writes
  /** Throws `not_found` where there is no such node. */
  readonly configStateOf: (nodeId: number) => Promise<ConfigState>
  readonly sendDesired: (nodeId: number) => Promise<void>
}

/** What nodes have that no deployment put there, and what operators do about it. */
export function createDriftService({ store, writes, configStateOf, sendDesired }: DriftCollaborators): DriftService {
  return { get, resolve }

  async function get(nodeId: number): Promise<Drift> {
    const config_state = await configStateOf(nodeId)
    const kinds = (await store.ofNode(nodeId)).map(({ kind, desired, inForce, drift }) => ({
      kind,
      generation: desired,
      applied_generation: inForce,
      items: [...drift],
    }))
    return { node: resourceUri('nodes', nodeId), config_state, kinds }
  }

  async function resolve(nodeId: number, { action }: { readonly action: 'adopt' | 'reapply' }, caller: Caller) {
    await configStateOf(nodeId)
    if (action === 'adopt')
      throw new RoostError(
        'conflict',
        'What was changed on this node maps to no field of a share: use reapply, or change the share.',
      )
    await writes.run(caller, async (tx) => {
      const drifted = (await store.ofNode(nodeId)).filter(({ drift }) => drift.length > 0)
      if (drifted.length === 0) throw new RoostError('conflict', 'Nothing on this node has drifted.')
      for (const { kind, inForce, outcome } of drifted) {
        if (outcome === null)
          throw new RoostError('conflict', 'The node has not taken the last deployment yet: wait for its end.')
        const payload = await store.findPayload(tx, nodeId, kind, inForce)
        if (payload === undefined)
          throw new RoostError('conflict', 'The generation in force is not kept any more: deploy anew.')
        await store.raise(tx, nodeId, kind, new Uint8Array(payload))
      }
      await store.refreshNode(tx, nodeId)
      const changes = { reapply: [null, drifted.map(({ kind }) => kind)] }
      return { result: undefined, audit: { action: 'reapply', resource: 'nodes', resourceId: nodeId, changes } }
    })
    await sendDesired(nodeId)
    return get(nodeId)
  }
}
