import type { NameList } from './catalogue.js'
import type { ClusterNames } from './cluster-names.js'
import { planCluster } from './cluster-values.js'
import type { ClusterPlan } from './cluster-values.js'
import { compileQuery } from './query.js'
import type { MetricQuery } from './query.js'
import { select, selectInTurns } from './selection.js'

/** A query with what it selects, remembered for each list of names that it was put to. */
export interface CachedQuery {
  readonly query: MetricQuery
  /** Does what takes long in turns with others; what follows then finds it done. */
  prepare(lists: Iterable<NameList>): Promise<void>
  positions(names: NameList): Int32Array
  plan(names: ClusterNames): ClusterPlan
}

export interface QueryCache {
  /** Throws `invalid` as `compileQuery` does. */
  get(names: readonly string[]): CachedQuery
}

const maxQueries = 256
/** Numbers that all answers may hold together: 32 MB. */
const maxHeld = 8_000_000

/** Pollers ask the same few things again and again: the last queries keep what they selected, while the names live. */
export function createQueryCache(): QueryCache {
  const queries = new Map<string, CachedQuery>()
  let held = 0
  /** When too much is held, all is forgotten: that is rare, and each answer is quickly made again. */
  const hold = (numbers: number) => {
    held += numbers
    if (held <= maxHeld) return
    queries.clear()
    held = 0
  }
  return {
    get(names) {
      const key = names.join()
      const cached = queries.get(key) ?? remember(compileQuery(names), hold)
      queries.delete(key)
      queries.set(key, cached)
      if (queries.size > maxQueries) queries.delete(queries.keys().next().value as string)
      return cached
    },
  }
}

function remember(query: MetricQuery, hold: (numbers: number) => void): CachedQuery {
  const positions = new WeakMap<NameList, Int32Array>()
  const plans = new WeakMap<ClusterNames, ClusterPlan>()
  const keep = (names: NameList, found: Int32Array): Int32Array => {
    positions.set(names, found)
    hold(found.length)
    return found
  }
  const positionsIn = (names: NameList) => positions.get(names) ?? keep(names, select(names, query))
  return {
    query,
    async prepare(lists) {
      for (const names of lists) if (!positions.has(names)) keep(names, await selectInTurns(names, query))
    },
    positions: positionsIn,
    plan(names) {
      const known = plans.get(names)
      if (known) return known
      const plan = planCluster(names, positionsIn(names))
      plans.set(names, plan)
      hold(plan.size)
      return plan
    },
  }
}
