import { listAll, pick } from './client/api.js'
import type { NodeRecord, Rpc } from './client/api.js'

/** Finds a node by its hostname or id. */
export async function nodeOf(nodes: Rpc['nodes'], nameOrId: string): Promise<NodeRecord> {
  return pick('node', nameOrId, await listAll((range) => nodes.list.query(range)), ({ hostname }) => hostname)
}
