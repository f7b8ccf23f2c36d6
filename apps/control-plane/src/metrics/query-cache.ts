import { LRUCache } from 'lru-cache'
import type { NameList } from './catalogue.js'
import type { ClusterNames } from './cluster-names.js'
import { planCluster } from './cluster-values.js'
import type { ClusterPlan } from './cluster-values.js'
import { compileQuery } from './query.js'
import type { MetricQuery } from './query.js'
import { select, selectInSteps } from './selection.js'

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
/** Numbers that all answers may reserve together: 32 MB. */
const maxNumbers = 8_000_000

/** Pollers ask the same few things again and again: the last queries keep what they selected, while the names live. */
export function createQueryCache(): QueryCache {
  const queries = new LRUCache<string, CachedQuery>({ max: maxQueries })
  let kept = 0
  /** When too much is kept, all is forgotten: that is rare, and each answer is quickly made again. */
  const reserve = (numbers: number) => {
    kept += numbers
    if (kept <= maxNumbers) return
    queries.clear()
    kept = 0
  }
  return {
    get(names) {
      const key = names.join()
      const cached = queries.get(key) ?? remember(compileQuery(names), reserve)
      queries.set(key, cached)
      return cached
    },
  }
}

function remember(query: MetricQuery, reserve: (numbers: number) => void): CachedQuery {
  const positions = new WeakMap<NameList, Int32Array>()
  const plans = new WeakMap<ClusterNames, ClusterPlan>()
  const keep = (names: NameList, found: Int32Array): Int32Array => {
    positions.set(names, found)
    reserve(found.length)
    return found
  }
  const positionsIn = (names: NameList) => positions.get(names) ?? keep(names, select(names, query))
  return {
    query,
    async prepare(lists) {
      for (const names of lists) if (!positions.has(names)) keep(names, await selectInSteps(names, query))
    },
    positions: positionsIn,
    plan(names) {
      const known = plans.get(names)
      if (known) return known
      const plan = planCluster(names, positionsIn(names))
      plans.set(names, plan)
      reserve(plan.size)
      return plan
    },
  }
}
