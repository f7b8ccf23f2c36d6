import type { Aggregation } from '@roost/api-types/agent'
import { compareMetrics } from './catalogue.js'
import type { Catalogue, Metric, NameList } from './catalogue.js'

/** The names of all nodes of a cluster, sorted, and where each catalogue's metrics stand among them. */
export interface ClusterNames extends NameList {
  /** By position, like `metrics`. Where nodes disagree, the definition of the first one holds. */
  readonly aggregations: readonly Aggregation[]
  /** For each position in a catalogue, the position here. */
  readonly indexes: ReadonlyMap<Catalogue, Int32Array>
}

/** `catalogues`: each once, in the order of their first node. */
export function clusterNames(catalogues: readonly Catalogue[]): ClusterNames {
  const rules = new Map<Metric, Aggregation>()
  for (const { metrics, aggregations } of catalogues) {
    for (const [i, metric] of metrics.entries())
      if (!rules.has(metric)) rules.set(metric, aggregations[i] as Aggregation)
  }
  const metrics = [...rules.keys()].toSorted(compareMetrics)
  const indexOfName = new Map(metrics.map((metric, index) => [metric, index]))
  return {
    metrics,
    sorted: Int32Array.from(metrics.keys()),
    aggregations: metrics.map((metric) => rules.get(metric) as Aggregation),
    indexes: new Map(
      catalogues.map((one) => [one, Int32Array.from(one.metrics, (metric) => indexOfName.get(metric) as number)]),
    ),
  }
}
