import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'
import { idIn } from '../uri.js'
import type { ListSource } from '../use-pages.js'
import type { inferOutput } from './output.js'

const slowMs = 60_000

export const clusters = () =>
  queryOptions({
    queryKey: ['clusters'],
    queryFn: ({ signal }) => rpc.clusters.list.query({ limit: 1000, order_by: ['name'] }, { signal }),
    staleTime: slowMs,
  })

export const cluster = (id: number) =>
  queryOptions({
    queryKey: ['clusters', id],
    queryFn: ({ signal }) => rpc.clusters.get.query({ id }, { signal }),
    staleTime: slowMs,
  })

/** The login with which its gateways reach its Swift, without the key. It is null where there is none. */
export const storage = (id: number) =>
  queryOptions({
    queryKey: ['clusters', id, 'storage'],
    queryFn: ({ signal }) => rpc.clusters.storage.query({ id }, { signal }),
  })

/** The Keystone that has its users, without the key. It is null where there is none. */
export const identity = (id: number) =>
  queryOptions({
    queryKey: ['clusters', id, 'identity'],
    queryFn: ({ signal }) => rpc.clusters.identity.query({ id }, { signal }),
  })

/** What must be removed before a cluster can be: how many nodes and users it has. */
export const obstacles = (id: number) =>
  queryOptions({
    queryKey: ['nodes', 'obstacles', id],
    queryFn: async ({ signal }) => {
      const slice = { filters: { cluster: id }, limit: 1 }
      const [nodes, users] = await Promise.all([
        rpc.nodes.list.query(slice, { signal }),
        rpc.users.list.query(slice, { signal }),
      ])
      return { nodes: nodes.total, users: users.total }
    },
  })

export const capacity = (id: number) =>
  queryOptions({
    queryKey: ['capacity', id],
    queryFn: ({ signal }) => rpc.clusters.capacity.query({ id }, { signal }),
    refetchInterval,
  })

export const forecast = (id: number) =>
  queryOptions({
    queryKey: ['forecast', id],
    queryFn: ({ signal }) => rpc.clusters.forecast.query({ id }, { signal }),
    staleTime: slowMs,
  })

/** How many nodes and devices are in which state. */
export const summary = (id: number) =>
  queryOptions({
    queryKey: ['summary', id],
    queryFn: ({ signal }) => rpc.clusters.summary.query({ id }, { signal }),
    refetchInterval,
  })

export const health = (id: number) =>
  queryOptions({
    queryKey: ['health', id],
    queryFn: ({ signal }) => rpc.clusters.health.query({ id }, { signal }),
    refetchInterval,
  })

/** Answers whose numbers the API explains. */
export const explainable = ['capacity', 'forecast', 'health', 'metrics'] as const
export type Explainable = (typeof explainable)[number]
export type Explanations = inferOutput<typeof rpc.clusters.explain.capacity.query>
export type Explanation = Explanations['explained'][number]

/** Of which nodes and devices numbers are made. `metrics`: names, for the metrics alone. */
export const explanations = (of: Explainable, id: number, metrics: string[]) =>
  queryOptions({
    queryKey: ['explain', of, id, metrics],
    queryFn: ({ signal }): Promise<Explanations> =>
      of === 'metrics'
        ? rpc.clusters.explain.metrics.query({ id, metrics }, { signal })
        : rpc.clusters.explain[of].query({ id }, { signal }),
  })

/** A node or a device in a number, or left out of it. */
export type PartRecord = Explanation['counted'][number] &
  Partial<Pick<Explanation['left_out'][number], 'reason'>> & {
    /** Of its node; empty if it has none, or if the node was removed. */
    readonly hostname: string
  }

/** The parts of a number, which has been read already, with the names of their nodes. */
export const partList = (
  { name, counted, left_out: leftOut }: Explanation,
  { made, isLeftOut }: { readonly made: string; readonly isLeftOut: boolean },
): ListSource<PartRecord> => {
  const parts: readonly Omit<PartRecord, 'hostname'>[] = isLeftOut ? leftOut : counted
  return {
    name: `explain-${name}`,
    key: ['explain', 'parts', made, name, isLeftOut],
    async read({ limit, offset }, signal) {
      const shown = parts.slice(offset, offset + limit)
      const ids = [...new Set(shown.flatMap(({ node }) => node ?? []))].map(idIn)
      const nodes = await rpc.nodes.getMany.query({ ids }, { signal })
      const hosts = new Map(nodes.map(({ resource_uri: uri, hostname }) => [uri, hostname]))
      const objects = shown.map((part) => ({ ...part, hostname: hosts.get(part.node ?? '') ?? '' }))
      return { objects, total: parts.length }
    },
    staleTime: Number.POSITIVE_INFINITY,
  }
}

/** As long as the server keeps an answer. */
const keptMs = 15_000
const most = 20

/** Containers of a cluster with a storage login, whose names begin with a text. */
export const containers = (cluster: number, q: string) =>
  queryOptions({
    queryKey: ['containers', cluster, q],
    queryFn: ({ signal }) => rpc.containers.list.query({ cluster, q, limit: most }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: keptMs,
    retry: false,
  })
