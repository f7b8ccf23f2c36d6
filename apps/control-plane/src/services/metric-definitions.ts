import { createHash } from 'node:crypto'
import type { MetricDefinition } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'

/** What is derived of the definitions of a catalogue, which takes long for thousands of them. */
export interface DefinitionIndex {
  /** Of the definitions, in hex. */
  readonly digest: string
  /** Positions in the order of the names. */
  readonly sorted: Int32Array
}

type Definitions = readonly MetricDefinition[]

/** Of definitions that many nodes share, or whose index was made on another thread. */
const indexes = new WeakMap<Definitions, Partial<DefinitionIndex>>()

/** Makes the index of definitions that come from another thread known here. */
export function keepIndex(definitions: Definitions, index: DefinitionIndex): void {
  indexes.set(definitions, index)
}

export function indexOf(definitions: Definitions): DefinitionIndex {
  return { digest: digestOf(definitions), sorted: sortedPositions(definitions) }
}

/** Returns the digest of definitions, which are not changed afterwards. */
export function digestOf(definitions: Definitions): string {
  const known = indexes.get(definitions)
  if (known?.digest !== undefined) return known.digest
  const text = JSON.stringify(definitions.map(({ name, unit, aggregation }) => [name, unit, aggregation]))
  const digest = createHash('sha256').update(text).digest('hex')
  indexes.set(definitions, { ...known, digest })
  return digest
}

/** Returns the positions of definitions in the order of their names. */
export function sortedPositions(definitions: Definitions): Int32Array {
  const known = indexes.get(definitions)
  if (known?.sorted !== undefined) return known.sorted
  const names = definitions.map(({ name }) => name)
  const sorted = Int32Array.from(names.keys()).toSorted((a, b) => compareNames(names[a] as string, names[b] as string))
  indexes.set(definitions, { ...known, sorted })
  return sorted
}

/** Throws `invalid` for an empty name, and for one that appears twice. */
export function checkNames(definitions: Definitions): void {
  let former: string | undefined
  for (const position of sortedPositions(definitions)) {
    const { name } = definitions[position] as MetricDefinition
    if (name === '') throw new RoostError('invalid', 'A metric in the catalogue has no name.')
    if (name === former) throw new RoostError('invalid', `The metric '${name}' appears twice in the catalogue.`)
    former = name
  }
}

/** Names compare by UTF-16 code unit, as the API's lists do. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
