import { ownerKinds } from '../../history/storage/levels.js'
import { prometheusName } from './series.js'
import type { Labels } from './series.js'

/** A node or a cluster with the labels of its series. */
export interface LabeledOwner {
  readonly kind: number
  readonly id: number
  readonly labels: Labels
}

export interface OwnerLists {
  listNodes(): Promise<readonly { readonly id: number; readonly node: string; readonly cluster: string }[]>
  listClusters(): Promise<readonly { readonly id: number; readonly name: string }[]>
}

/** Lists all nodes and clusters that exist. */
export async function listOwners(store: OwnerLists): Promise<readonly LabeledOwner[]> {
  const [nodes, clusters] = await Promise.all([store.listNodes(), store.listClusters()])
  const counts = new Map<string, number>()
  const nameOf = ({ cluster, node }: (typeof nodes)[number]) => `${cluster}/${node}`
  for (const node of nodes) counts.set(nameOf(node), (counts.get(nameOf(node)) ?? 0) + 1)
  return [
    ...nodes.map((one): LabeledOwner => {
      // Two series with the same labels are an error in Prometheus.
      const node = counts.get(nameOf(one)) === 1 ? one.node : `${one.node}#${one.id}`
      return { kind: ownerKinds.node, id: one.id, labels: { cluster: one.cluster, node } }
    }),
    ...clusters.map(({ id, name }): LabeledOwner => ({ kind: ownerKinds.cluster, id, labels: { cluster: name } })),
  ]
}

/** Returns the labels of a metric. What is of a cluster has another name, so that sums over nodes do not count it twice. */
export function metricLabels(kind: number, metric: string): Labels {
  const name = prometheusName(metric)
  return { __name__: kind === ownerKinds.cluster ? `cluster:${name}` : name, metric }
}
