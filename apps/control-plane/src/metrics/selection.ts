import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Metric, NameList } from './catalogue.js'
import { lettersOf, matchesAfterPrefix } from './pattern.js'
import type { Pattern } from './pattern.js'
import type { MetricQuery } from './query.js'

/** Names that are compared before the time is checked again. */
const namesAtOnce = 256
const maxStepMs = 8

/** Returns the positions of the names that the query selects, in the order of the names, each once. */
export function select(names: NameList, query: MetricQuery): Int32Array {
  const steps = selecting(names, query)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** Does the same, and yields to other requests every few milliseconds: many patterns over many names need longer than that. */
export async function selectInSteps(names: NameList, query: MetricQuery): Promise<Int32Array> {
  const steps = selecting(names, query)
  let began = performance.now()
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    if (performance.now() - began < maxStepMs) continue
    await yieldToLoop()
    began = performance.now()
  }
}

/** Returns whether the list has this name. */
export function hasName(names: NameList, name: string): boolean {
  return nameAt(names, lowerBound(names, name)) === name
}

function* selecting(names: NameList, query: MetricQuery): Generator<undefined, Int32Array> {
  const { sorted } = names
  const chosen = new Uint8Array(sorted.length)
  for (const literal of query.literals) {
    const at = lowerBound(names, literal)
    if (nameAt(names, at) === literal) chosen[at] = 1
  }
  for (const pattern of query.patterns) {
    if (pattern.prefix === '') continue
    chooseWithPrefix(names, pattern, chosen)
    yield
  }
  const anywhere = query.patterns.filter(({ prefix }) => prefix === '')
  for (let start = 0; anywhere.length > 0 && start < sorted.length; start += namesAtOnce) {
    chooseAnywhere(names, anywhere, chosen, start)
    yield
  }
  return sorted.filter((_, i) => chosen[i] === 1)
}

/** Compares only the names that begin with the pattern's prefix; they follow each other. */
function chooseWithPrefix({ metrics, sorted }: NameList, pattern: Pattern, chosen: Uint8Array): void {
  for (let i = lowerBound({ metrics, sorted }, pattern.prefix); i < chosen.length; i++) {
    const { name } = metrics[sorted[i] as number] as Metric
    if (!name.startsWith(pattern.prefix)) return
    if (chosen[i] === 0 && matchesAfterPrefix(pattern, name)) chosen[i] = 1
  }
}

function chooseAnywhere(
  { metrics, sorted }: NameList,
  patterns: readonly Pattern[],
  chosen: Uint8Array,
  start: number,
) {
  const end = Math.min(chosen.length, start + namesAtOnce)
  for (let i = start; i < end; i++) {
    if (chosen[i] === 0 && matchesAny(patterns, (metrics[sorted[i] as number] as Metric).name)) chosen[i] = 1
  }
}

function matchesAny(patterns: readonly Pattern[], name: string): boolean {
  const letters = lettersOf(name)
  for (let i = 0; i < patterns.length; i++) {
    const pattern = patterns[i] as Pattern
    if ((pattern.letters & ~letters) === 0 && matchesAfterPrefix(pattern, name)) return true
  }
  return false
}

function nameAt({ metrics, sorted }: NameList, i: number): string | undefined {
  return i < sorted.length ? (metrics[sorted[i] as number] as Metric).name : undefined
}

/** Returns the first position in the order of the names whose name is not below `text`. */
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
