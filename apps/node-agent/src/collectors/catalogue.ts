import { createHash } from 'node:crypto'
import type { MetricDefinition } from '@roost/api-types/agent'
import type { Catalogue } from './collection.js'
import type { Family } from './family.js'
import { definitionOf } from './metric.js'

/** Puts the families' values in the order of a catalogue, which lasts until a family's metrics change. */
export class CatalogueKeeper {
  readonly #families: readonly Family[]
  #definitions: readonly (readonly MetricDefinition[])[] = []
  /** For each family, the place of each of its values; undefined for a name that another one has already. */
  #places: readonly (readonly (number | undefined)[])[] = []
  #catalogue: Catalogue = { id: 0, metrics: [] }

  constructor(families: readonly Family[]) {
    this.#families = families
  }

  compose(at: number, intervalMs: number): { readonly catalogue: Catalogue; readonly values: Float64Array } {
    if (this.#families.some((family, i) => family.definitions !== this.#definitions[i])) this.#rebuild()
    const values = new Float64Array(this.#catalogue.metrics.length).fill(Number.NaN)
    let next = 0
    for (const family of this.#families) for (const { value } of family.health(at, intervalMs)) values[next++] = value
    this.#families.forEach((family, i) => {
      family.values(at, intervalMs)?.forEach((value, k) => {
        const place = this.#places[i]?.[k]
        if (place !== undefined) values[place] = value
      })
    })
    return { catalogue: this.#catalogue, values }
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
    this.#catalogue = { id: idOf(metrics), metrics }
  }
}

/** 32 bits of a digest: a set of names keeps its id over a restart, and another set does not get it. Never 0. */
function idOf(metrics: readonly MetricDefinition[]): number {
  return createHash('sha256').update(JSON.stringify(metrics)).digest().readUInt32LE(0) || 1
}
