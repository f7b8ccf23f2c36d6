import type { CapacityService } from '@roost/api-types/rpc'
import type { CapacityElement } from '@roost/api-types/rest'
import { bytesPerTb } from '@roost/capacity-core'
import type { PolicySetCapacity } from '@roost/capacity-core'
import { timeRange } from '../services/time-range.js'
import { forecastCluster } from './forecast.js'
import type { ForecastOptions } from './forecast.js'
import { capacityHistory } from './history.js'
import type { HistoryOptions } from './history.js'
import type { LiveDevices } from './live-devices.js'
import type { CapacityStore } from './store.js'

interface CapacityOptions extends ForecastOptions, HistoryOptions {
  readonly live: LiveDevices
  readonly days: ForecastOptions['days'] & HistoryOptions['days']
  readonly store: Pick<CapacityStore, 'policyNames'>
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
    async ofCluster(clusterId) {
      const names = await namesOf(clusterId)
      return { capacity: live.capacityOf(clusterId).map((set) => elementOf(set, names)) }
    },
    async forecast(clusterId) {
      const names = await namesOf(clusterId)
      return forecastCluster(options, clusterId, ({ policies }) => ringSet(policies, names))
    },
    async history(clusterId, range, sets) {
      const asked = timeRange(range, options.now())
      const names = await namesOf(clusterId)
      const named = (policies: readonly number[]) => ringSet(policies, names)
      return capacityHistory(options, { clusterId, range: asked, ringSet: named, sets })
    },
  }
}

function ringSet(policies: readonly number[], names: ReadonlyMap<number, string>): string {
  return policies.map((index) => names.get(index) ?? `policy-${index}`).join()
}

function elementOf(set: PolicySetCapacity, names: ReadonlyMap<number, string>): CapacityElement {
  const { count, min, max, avg, stddev, pct95 } = set.percentUsed
  return {
    ring_set: ringSet(set.policies, names),
    total_raw_tb: set.rawBytes / bytesPerTb,
    total_used_tb: set.usedBytes / bytesPerTb,
    total_free_tb: set.freeBytes / bytesPerTb,
    total_used_pct: set.usedPct,
    pct_used_stats: { count, min, max, avg, stddev, pct_95: pct95 },
  }
}
