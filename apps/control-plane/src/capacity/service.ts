import type { CapacityService } from '@roost/api-types/rpc'
import { resourceUri } from '@roost/api-types/rest'
import type { CapacityElement, Explanation, Explanations } from '@roost/api-types/rest'
import { bytesPerTb, forecastDays } from '@roost/capacity-core'
import type { PolicySetCapacity } from '@roost/capacity-core'
import { timeRange } from '../services/time-range.js'
import { dayOf } from './day.js'
import { explainCapacity, explainForecast, partsBySet } from './explain.js'
import { forecastCluster } from './forecast.js'
import { countByFullness, fullnessByNode, fullnessStep } from './fullness.js'
import type { ForecastOptions } from './forecast.js'
import { capacityHistory } from './history.js'
import type { HistoryOptions } from './history.js'
import type { LiveDevices } from './live-devices.js'
import { ringSetName } from './ring-set.js'
import type { CapacityStore } from './store.js'

interface CapacityOptions extends ForecastOptions, HistoryOptions {
  readonly live: LiveDevices
  readonly days: ForecastOptions['days'] & HistoryOptions['days']
  readonly store: Pick<CapacityStore, 'policyNames' | 'namedDevices'>
  /** Throws `not_found`. Asked only about a cluster without devices. */
  readonly requireCluster: (id: number) => Promise<unknown>
}

export function createCapacityService(options: CapacityOptions): CapacityService {
  const { live, store, requireCluster } = options
  const namesOf = async (clusterId: number) => {
    if (!live.has(clusterId)) await requireCluster(clusterId)
    return store.policyNames(clusterId)
  }
  return {
    ...explanationsOf(options, namesOf),
    async ofCluster(clusterId) {
      const names = await namesOf(clusterId)
      return { capacity: live.capacityOf(clusterId).map((set) => elementOf(set, names)) }
    },
    async forecast(clusterId) {
      const names = await namesOf(clusterId)
      return forecastCluster(options, clusterId, ({ policies }) => ringSetName(policies, names))
    },
    async fullness(clusterId, { step: asked, by_node: byNode = false } = {}) {
      const step = fullnessStep(asked)
      const names = await namesOf(clusterId)
      return {
        cluster: resourceUri('clusters', clusterId),
        step,
        fullness: countByFullness(live.devices(clusterId), step, (policies) => ringSetName(policies, names)),
        ...(byNode && { nodes: fullnessByNode(await store.namedDevices(clusterId), live.readingOf) }),
      }
    },
    async history(clusterId, range, sets) {
      const asked = timeRange(range, options.now())
      const names = await namesOf(clusterId)
      const named = (policies: readonly number[]) => ringSetName(policies, names)
      return capacityHistory(options, { clusterId, range: asked, ringSet: named, sets })
    },
  }
}

type NamesOf = (clusterId: number) => Promise<ReadonlyMap<number, string>>

function explanationsOf(
  options: CapacityOptions,
  namesOf: NamesOf,
): Pick<CapacityService, 'explain' | 'explainForecast'> {
  const { live, store } = options
  const partsOf = async (clusterId: number) => partsBySet(await store.namedDevices(clusterId), live.readingOf)
  const explanations = (clusterId: number, explained: readonly Explanation[]): Explanations => ({
    cluster: resourceUri('clusters', clusterId),
    made: new Date(options.now()).toISOString(),
    explained: [...explained],
  })
  return {
    async explain(clusterId) {
      const names = await namesOf(clusterId)
      const explained = explainCapacity(live.capacityOf(clusterId), await partsOf(clusterId), (policies) =>
        ringSetName(policies, names),
      )
      return explanations(clusterId, explained)
    },
    async explainForecast(clusterId) {
      const names = await namesOf(clusterId)
      const [parts, days, { forecast }] = await Promise.all([
        partsOf(clusterId),
        options.days.daysOfSets(clusterId, dayOf(options.now()) - forecastDays),
        forecastCluster(options, clusterId, ({ policies }) => ringSetName(policies, names)),
      ])
      const sets = new Map(live.capacityOf(clusterId).map((set) => [ringSetName(set.policies, names), set]))
      const explained = forecast.flatMap((one) => {
        const set = sets.get(one.ring_set)
        if (set === undefined) return []
        const key = set.policies.join()
        return [explainForecast(one, { days: days.get(key) ?? [], rawBytes: set.rawBytes, parts: parts.get(key) })]
      })
      return explanations(clusterId, explained)
    },
  }
}

function elementOf(set: PolicySetCapacity, names: ReadonlyMap<number, string>): CapacityElement {
  const { count, min, max, avg, stddev, pct95 } = set.percentUsed
  return {
    ring_set: ringSetName(set.policies, names),
    total_raw_tb: set.rawBytes / bytesPerTb,
    total_used_tb: set.usedBytes / bytesPerTb,
    total_free_tb: set.freeBytes / bytesPerTb,
    total_used_pct: set.usedPct,
    pct_used_stats: { count, min, max, avg, stddev, pct_95: pct95 },
  }
}
