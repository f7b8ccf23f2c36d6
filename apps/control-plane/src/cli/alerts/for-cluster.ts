import type { Rpc } from '../client/api.js'
import { clusterField, clusterNamesByUri } from '../records/fields.js'
import type { FieldOption } from '../records/noun.js'

/** The cluster that a rule or a receiver is for. */
export const forClusterField: FieldOption = {
  ...clusterField,
  description: 'only for this cluster, by name or id (default: for all)',
  isRequired: false,
}

interface ForCluster {
  /** Returns what a list shows of a cluster by its URI. */
  readonly shown: (cluster: string | null) => string | undefined
  /** Returns what a document of `roost apply` says. */
  readonly written: (cluster: string | null) => string | null | undefined
}

/** Reads the names of the clusters that rules and receivers are for. */
export async function readForCluster(rpc: Rpc): Promise<ForCluster> {
  const names = await clusterNamesByUri(rpc)
  const written = (cluster: string | null) => (cluster === null ? null : names.get(cluster))
  return { written, shown: (cluster) => (cluster === null ? 'all' : names.get(cluster)) }
}
