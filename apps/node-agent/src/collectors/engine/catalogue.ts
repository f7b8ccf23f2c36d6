import type { MetricDefinition } from '@roost/api-types/agent'
import type { Family } from './family.js'
import { definitionOf } from './metric.js'

interface Composed {
  /** The same array until the set of metrics changes. */
  readonly metrics: readonly MetricDefinition[]
  readonly values: Float64Array
}

/** Puts the values and the health of all families into one order, which lasts until a family's metrics change. */
export class Catalogue {
  readonly #families: readonly Family[]
  #definitions: readonly (readonly MetricDefinition[])[] = []
  /** The index of each value of each family; undefined for a name that an earlier family has. */
  #indexes: readonly (readonly (number | undefined)[])[] = []
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
        const index = this.#indexes[i]?.[k]
        if (index !== undefined) values[index] = value
      })
    })
    return { metrics: this.#metrics, values }
  }

  #rebuild(): void {
    this.#definitions = this.#families.map((family) => family.definitions)
    const metrics = this.#families.flatMap((family) => family.health(0, 0).map(definitionOf))
    const known = new Set(metrics.map(({ name }) => name))
    this.#indexes = this.#definitions.map((definitions) =>
      definitions.map((definition) => {
        if (known.has(definition.name)) return undefined
        known.add(definition.name)
        return metrics.push(definition) - 1
      }),
    )
    this.#metrics = metrics
  }
}
