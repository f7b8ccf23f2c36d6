import { resourceUri } from '@roost/api-types/rest'
import type { ClusterSummary } from '@roost/api-types/rest'
import type { ClusterSummaryService } from '@roost/api-types/rpc'
import type { ClusterCounts, SummaryStore } from './store.js'

export interface SummaryOptions {
  readonly store: SummaryStore
  /** Throws `not_found`. */
  readonly requireCluster: (id: number) => Promise<unknown>
  /** The health as it was judged last; undefined before the first time. */
  readonly judged: (clusterId: number) => Pick<ClusterSummary, 'verdict' | 'rings_agree'> | undefined
  /** Changes with each change that subscribers of events receive. */
  readonly changes: () => { readonly version: number; readonly isFollowed: boolean }
  /** Unix milliseconds. */
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly monotonic: () => number
}

/** How long an answer is repeated to everybody: as long as nothing changes, and a second where changes are not known. */
const followedMs = 10_000
const unknownMs = 1_000

interface Kept {
  readonly summary: Promise<ClusterSummary>
  readonly version: number
  readonly madeAt: number
}

/** Creates summaries, which cost the same for any number of callers: those who learn of a change get a new one. */
export function createSummaries(options: SummaryOptions): ClusterSummaryService {
  const { store, requireCluster, changes, monotonic } = options
  const kept = new Map<number, Kept>()
  const isFresh = ({ version, madeAt }: Kept) => {
    const now = changes()
    return version === now.version && monotonic() - madeAt < (now.isFollowed ? followedMs : unknownMs)
  }
  return {
    async ofCluster(clusterId) {
      const last = kept.get(clusterId)
      if (last !== undefined && isFresh(last)) return last.summary
      const summary = requireCluster(clusterId).then(async () =>
        summaryOf(options, clusterId, await store.count(clusterId)),
      )
      const next = { summary, version: changes().version, madeAt: monotonic() }
      kept.set(clusterId, next)
      // What failed is asked again.
      summary.catch(() => kept.get(clusterId) === next && kept.delete(clusterId))
      return summary
    },
  }
}

function summaryOf(
  { judged, now }: SummaryOptions,
  clusterId: number,
  { nodes, devices, unfinishedJobs, newestReading }: ClusterCounts,
): ClusterSummary {
  const { verdict, rings_agree } = judged(clusterId) ?? { verdict: null, rings_agree: null }
  return {
    cluster: resourceUri('clusters', clusterId),
    made: new Date(now()).toISOString(),
    nodes: {
      total: nodes.reduce((sum, { count }) => sum + count, 0),
      states: countsBy(nodes, ({ state }) => state),
      config_states: countsBy(nodes, ({ configState }) => configState),
    },
    devices: {
      total: devices.reduce((sum, { count }) => sum + count, 0),
      statuses: countsBy(devices, ({ status }) => status),
    },
    verdict,
    rings_agree,
    unfinished_jobs: unfinishedJobs,
    newest_reading: newestReading?.toISOString() ?? null,
  }
}

function countsBy<R extends { readonly count: number }>(
  rows: readonly R[],
  keyOf: (row: R) => string,
): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const row of rows) counts[keyOf(row)] = (counts[keyOf(row)] ?? 0) + row.count
  return counts
}
