import { isDeepStrictEqual } from 'node:util'
import type { NodeStateChange, NodeStateService } from '@roost/api-types/rpc'
import { watch } from '../rpc/poll-changes.js'

export interface NodeStateStore {
  /** Returns the state of every node. */
  states(): Promise<readonly NodeStateChange[]>
}

const periodMs = 1_000

/** Queries the database once a period, for any number of watchers. */
export function createNodeStates(store: NodeStateStore): NodeStateService {
  let reading: { readonly at: number; readonly states: Promise<ReadonlyMap<unknown, NodeStateChange>> } | undefined
  const read = () => {
    const at = performance.now()
    if (reading === undefined || at - reading.at > periodMs / 2)
      reading = { at, states: store.states().then((states) => new Map(states.map((node) => [node.id, node]))) }
    return reading.states
  }
  return { watch: (signal) => watch<NodeStateChange>({ read, gone, isSame: isDeepStrictEqual, periodMs }, signal) }
}

function gone(node: NodeStateChange): NodeStateChange {
  return { ...node, state: 'removed' }
}
