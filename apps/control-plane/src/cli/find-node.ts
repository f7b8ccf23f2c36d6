import { listAll, pick } from './api.js'
import type { NodeRecord, Rpc } from './api.js'

/** Finds a node by its hostname or id. */
export async function nodeOf(nodes: Rpc['nodes'], nameOrId: string): Promise<NodeRecord> {
  return pick('node', nameOrId, await listAll((range) => nodes.list.query(range)), ({ hostname }) => hostname)
}
