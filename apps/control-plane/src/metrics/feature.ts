import type { Clock } from '@roost/runtime'
import { createMetricIntake } from './intake.js'
import type { MetricIntake } from './intake.js'
import { createLatestValues } from './latest-values.js'
import type { LatestValues } from './latest-values.js'
import { createMembers } from './members.js'
import { createMetricService } from './service.js'
import type { MetricReads } from './service.js'
import type { MetricStore } from './store.js'

export interface MetricOptions {
  readonly store: MetricStore
  /** Throws `not_found`. */
  readonly requireCluster: (id: number) => Promise<unknown>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly reportIntervalMs: number
}

export interface MetricFeature {
  readonly reads: MetricReads
  readonly intake: MetricIntake
  /** The stored values, for our own metrics. */
  readonly latest: LatestValues
  /** Ids of the nodes of a cluster that have metrics. */
  readonly nodesOf: (clusterId: number) => readonly number[]
  /** Ids of the clusters that have such nodes. */
  readonly clusters: () => Iterable<number>
}

/** Latest values, and the two doors to them. */
export function createMetrics({ store, requireCluster, clock, reportIntervalMs }: MetricOptions): MetricFeature {
  const latest = createLatestValues(clock)
  const members = createMembers()
  const intake = createMetricIntake({ latest, members, store })
  const reads = createMetricService({
    latest,
    members,
    requireNode: store.requireNode,
    requireCluster,
    isOnline: intake.isOnline,
    now: () => clock.now() / 1000,
    reportIntervalMs,
  })
  return {
    reads,
    intake,
    latest,
    nodesOf: (clusterId) => members.nodesOf(clusterId),
    clusters: () => members.clusters(),
  }
}
