import type { Aggregation, MetricDefinition } from '@roost/api-types/agent'
import { checkNames, compareNames, digestOf, sortedPositions } from '../services/metric-definitions.js'

/** A name that any number of catalogues share. */
export interface Metric {
  readonly name: string
  /** The name as it stands in JSON between its quotes; the same string where nothing is to be escaped. */
  readonly json: string
}

/** Names in which a query can look. */
export interface NameList {
  readonly metrics: readonly Metric[]
  /** Positions in `metrics` in the order of the names. */
  readonly sorted: Int32Array
}

/** What the values of a frame mean. Nodes with the same definitions share one catalogue. */
export interface Catalogue extends NameList {
  /** Digest of the definitions, in hex. */
  readonly digest: string
  /** By position, like `metrics`. */
  readonly aggregations: readonly Aggregation[]
}

/** All catalogues in use. Each acquired catalogue is released; unused ones are dropped. */
export interface CatalogueTable {
  /** The definitions are not changed afterwards. */
  acquire(definitions: readonly MetricDefinition[]): Catalogue
  release(catalogue: Catalogue): void
  /** Distinct names that are held. */
  readonly names: number
}

interface Counted<T> {
  readonly it: T
  uses: number
}

export function createCatalogueTable(): CatalogueTable {
  const catalogues = new Map<string, Counted<Catalogue>>()
  const metrics = new Map<string, Counted<Metric>>()

  const metricOf = (name: string): Metric => {
    const known = metrics.get(name)
    if (known) {
      known.uses++
      return known.it
    }
    const metric = { name, json: jsonName(name) }
    metrics.set(name, { it: metric, uses: 1 })
    return metric
  }
  const make = (digest: string, definitions: readonly MetricDefinition[]): Catalogue => {
    const list = definitions.map(({ name }) => metricOf(name))
    return {
      digest,
      metrics: list,
      sorted: sortedPositions(definitions),
      aggregations: definitions.map(({ aggregation }) => aggregation),
    }
  }
  return {
    acquire(definitions) {
      const digest = digestOf(definitions)
      const known = catalogues.get(digest)
      if (known) {
        known.uses++
        return known.it
      }
      checkNames(definitions)
      const catalogue = make(digest, definitions)
      catalogues.set(digest, { it: catalogue, uses: 1 })
      return catalogue
    },
    release(catalogue) {
      const counted = catalogues.get(catalogue.digest)
      if (!counted || --counted.uses > 0) return
      catalogues.delete(catalogue.digest)
      for (const { name } of catalogue.metrics) {
        const metric = metrics.get(name)
        if (metric && --metric.uses === 0) metrics.delete(name)
      }
    },
    get names() {
      return metrics.size
    },
  }
}

/** What JSON may write in another way. */
const escaped = /["\\\p{Control}\p{Surrogate}]/u

function jsonName(name: string): string {
  return escaped.test(name) ? JSON.stringify(name).slice(1, -1) : name
}

export function compareMetrics(a: Metric, b: Metric): number {
  return compareNames(a.name, b.name)
}
