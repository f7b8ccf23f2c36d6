import { idOfUri } from '@roost/api-types/rest'
import type { ClusterRecord, NodeRecord, Rpc } from '../client/api.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'

/** Finds the records that files name, each once. */
export interface Lookups {
  readonly rpc: Rpc
  cluster(this: void, name: string): Promise<ClusterRecord | undefined>
  node(this: void, hostname: string): Promise<NodeRecord | undefined>
  /** Returns the name of a cluster or the hostname of a node. */
  nameOf(this: void, resource: 'clusters' | 'nodes', uri: string): Promise<string>
}

export function createLookups(rpc: Rpc): Lookups {
  const { clusters, nodes } = rpc
  return {
    rpc,
    cluster: once(async (name) => only('cluster', name, (await clusters.list.query({ filters: { name } })).objects)),
    node: once(async (hostname) => only('node', hostname, (await nodes.list.query({ filters: { hostname } })).objects)),
    async nameOf(resource, uri) {
      const id = idOfUri(resource, uri) ?? 0
      return resource === 'nodes' ? (await nodes.get.query({ id })).hostname : (await clusters.get.query({ id })).name
    },
  }
}

/** Returns the id of a cluster that an earlier step may have created. */
export async function clusterId({ clusters }: Rpc, name: string): Promise<number> {
  const [cluster] = (await clusters.list.query({ filters: { name } })).objects
  if (cluster === undefined) throw new CommandError(`cluster '${name}' not found.`, exitCodes.notFound)
  return cluster.id
}

function only<R>(kind: string, name: string, records: readonly R[]): R | undefined {
  if (records.length < 2) return records[0]
  throw new CommandError(
    `${records.length} ${kind}s are named '${name}'. Give them names of their own.`,
    exitCodes.conflict,
  )
}

function once<R>(read: (name: string) => Promise<R>): (name: string) => Promise<R> {
  const known = new Map<string, Promise<R>>()
  return (name) => {
    const found = known.get(name) ?? read(name)
    known.set(name, found)
    return found
  }
}
