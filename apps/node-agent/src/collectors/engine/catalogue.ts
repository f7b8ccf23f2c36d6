import type { MetricDefinition } from '@roost/api-types/agent'
import type { Family } from './family.js'
import { definitionOf } from './metric.js'

interface Composed {
  /** The same array until the set of metrics changes. */
  readonly metrics: readonly MetricDefinition[]
  readonly values: Float64Array
}

/** Puts the families' values, and how the families fare, into one order, which lasts until a family's metrics change. */
export class Catalogue {
  readonly #families: readonly Family[]
  #definitions: readonly (readonly MetricDefinition[])[] = []
  /** For each family, the place of each of its values; undefined for a name that another one has already. */
  #places: readonly (readonly (number | undefined)[])[] = []
  #metrics: readonly MetricDefinition[] = []

  constructor(families: readonly Family[]) {
    this.#families = families
  }

  compose(at: number, intervalMs: number): Composed {
    if (this.#families.some((family, i) => family.definitions !== this.#definitions[i])) this.#rebuild()
    const values = new Float64Array(this.#metrics.length).fill(Number.NaN)
    values.set(this.#families.flatMap((family) => family.health(at, intervalMs).map(({ value }) => value)))
    this.#families.forEach((family, i) => {
      family.values(at, intervalMs)?.forEach((value, k) => {
        const place = this.#places[i]?.[k]
        if (place !== undefined) values[place] = value
      })
    })
    return { metrics: this.#metrics, values }
  }

  #rebuild(): void {
    this.#definitions = this.#families.map((family) => family.definitions)
    const metrics = this.#families.flatMap((family) => family.health(0, 0).map(definitionOf))
    const taken = new Set(metrics.map(({ name }) => name))
    this.#places = this.#definitions.map((definitions) =>
      definitions.map((definition) => {
        if (taken.has(definition.name)) return undefined
        taken.add(definition.name)
        return metrics.push(definition) - 1
      }),
    )
    this.#metrics = metrics
  }
}
