import { RoostError } from '@roost/api-types/rest'
import type { Caller } from '@roost/api-types/rpc'
import type { LeavingNode, LifecycleStore } from './lifecycle-store.js'

export interface LifecycleDeps {
  readonly store: LifecycleStore
  /** The live sessions of nodes. */
  readonly sessions: { isConnected(nodeId: number): boolean; revoke(nodeId: number): void }
}

/** The end of a node's life; `NodeService.remove` is this. Its beginning is an enrolment. */
export interface NodeLifecycle {
  /** Revokes the identity for good and closes its session. `conflict` for a node that is online, unless forced. */
  remove(id: number, caller: Caller, options: { readonly force: boolean }): Promise<void>
}

export function createNodeLifecycle({ store, sessions }: LifecycleDeps): NodeLifecycle {
  return {
    async remove(id, caller, { force }) {
      const isRemoved = await store.revoke(id, caller, (node) => {
        refuseShares(node)
        if (!force && (isShownOnline(node) || sessions.isConnected(id))) throw isOnline(node)
      })
      if (!isRemoved) throw new RoostError('not_found', `There is no node ${id}.`)
      sessions.revoke(id)
    },
  }
}

function isShownOnline({ state }: LeavingNode): boolean {
  return state === 'online' || state === 'duplicate'
}

function isOnline({ hostname }: LeavingNode): RoostError {
  return new RoostError('conflict', `The node ${hostname} is online: stop its agent first, or remove it with force.`)
}

function refuseShares({ hostname, shares }: LeavingNode): void {
  if (shares > 0)
    throw new RoostError('conflict', `The node ${hostname} has ${shares} shares: remove or move them first.`)
}
