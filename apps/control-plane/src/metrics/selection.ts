import type { Metric, NameList } from './catalogue.js'
import { matchesAfterPrefix } from './pattern.js'
import type { Pattern } from './pattern.js'
import type { MetricQuery } from './query.js'

/** Positions of the names that the query asks for, in the order of the names, each once. */
export function select(names: NameList, query: MetricQuery): Int32Array {
  const { sorted } = names
  const chosen = new Uint8Array(sorted.length)
  for (const literal of query.literals) {
    const at = lowerBound(names, literal)
    if (nameAt(names, at) === literal) chosen[at] = 1
  }
  for (const pattern of query.patterns) choose(names, pattern, chosen)
  return sorted.filter((_, i) => chosen[i] === 1)
}

/** Whether a name is among them. */
export function hasName(names: NameList, name: string): boolean {
  return nameAt(names, lowerBound(names, name)) === name
}

/** Names that begin with the pattern's prefix lie together: only those are looked at. */
function choose(names: NameList, pattern: Pattern, chosen: Uint8Array): void {
  const { prefix } = pattern
  for (let i = lowerBound(names, prefix); i < chosen.length; i++) {
    const name = nameAt(names, i) as string
    if (!name.startsWith(prefix)) return
    if (chosen[i] === 0 && matchesAfterPrefix(pattern, name)) chosen[i] = 1
  }
}

function nameAt({ metrics, sorted }: NameList, i: number): string | undefined {
  return i < sorted.length ? (metrics[sorted[i] as number] as Metric).name : undefined
}

/** The first place in the order of the names whose name is not below `text`. */
function lowerBound(names: NameList, text: string): number {
  let low = 0
  let high = names.sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((nameAt(names, middle) as string) < text) low = middle + 1
    else high = middle
  }
  return low
}
