import { useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { clusters } from '../api/queries/clusters.js'
import type { inferOutput } from '../api/queries/output.js'
import type { rpc } from '../api/client.js'
import { errorText } from '../api/error-text.js'

export type ClusterRecord = inferOutput<typeof rpc.clusters.get.query>

interface Clusters {
  readonly all: readonly ClusterRecord[]
  /** The one in the address, or the first. */
  readonly chosen: ClusterRecord | undefined
  /** Whether they are read yet, and why they could not be: `all` is empty in both cases. */
  readonly query: UseQueryResult
}

/** Returns the clusters, and the one that the screens show. */
export function useClusters(): Clusters {
  const query = useQuery(clusters())
  const search = useSearch({ strict: false })
  const all = query.data?.objects ?? []
  return { all, chosen: all.find(({ id }) => String(id) === search.cluster) ?? all[0], query }
}

/** Returns the clusters as the options of a field, and why there are none where they could not be read. */
export function useClusterOptions() {
  const { all, query } = useClusters()
  return {
    options: all.map(({ id, name }) => [String(id), name] as const),
    failure: query.data === undefined && query.error !== null ? errorText(query.error) : undefined,
  }
}
