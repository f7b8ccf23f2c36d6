import { systemClock } from '@roost/runtime'
import type { Stoppable } from '@roost/runtime'
import type { Database } from '../database/database.js'
import { createHistory } from '../history/feature.js'
import type { HistoryFeature } from '../history/feature.js'
import { every } from '../jobs/every.js'
import type { MetricFeature } from '../metrics/feature.js'
import { listOwners } from '../prometheus/remote/owners.js'
import { sendTo } from '../prometheus/remote/write-target.js'
import { createRemoteWriter } from '../prometheus/remote/writer.js'
import type { RemoteWriter } from '../prometheus/remote/writer.js'
import { createFleetMetricStore } from '../prometheus/store.js'
import type { ContextOptions } from './options.js'

type Options = Pick<ContextOptions, 'config' | 'now'>
type Requires = Pick<Parameters<typeof createHistory>[0], 'requireNode' | 'requireCluster' | 'space'>

/** Builds the history of the metrics. */
export function buildHistory(database: Database, { config, now }: Options, metrics: MetricFeature, requires: Requires) {
  return createHistory({
    ...requires,
    database,
    config: config.history,
    isSent: config.remoteWrite !== null,
    now,
    nodesOf: metrics.nodesOf,
    clusters: metrics.clusters,
    latestOfNode: async (id, names) => (await metrics.reads.pollNode(id, names)).metrics,
    latestOfCluster: async (id, names) => (await metrics.reads.pollCluster(id, names)).metrics,
  })
}

/** Starts the periodic work of the history. */
export function historyJobs(history: HistoryFeature, log: ContextOptions['log']): readonly Stoppable[] {
  const ending = new AbortController()
  const makeLevels = async () => void (await history.makeLevels(ending.signal))
  const levels = every(60_000, 'make the levels of the history', makeLevels, log)
  const stopLevels = async () => {
    ending.abort()
    await levels.stop()
  }
  return [
    { stop: stopLevels },
    every(10_000, 'record the values of the clusters', () => history.recorder.sample(), log),
    { stop: () => history.recorder.flush() },
    every(600_000, 'remove old history', history.keepWithin, log),
  ]
}

/** Builds what sends the history elsewhere; undefined where it is not sent. */
export function buildRemoteWriter(
  database: Database,
  { config, log }: Pick<ContextOptions, 'config' | 'log'>,
  history: HistoryFeature,
): RemoteWriter | undefined {
  if (config.remoteWrite === null || !history.isOn) return undefined
  const store = createFleetMetricStore(database)
  return createRemoteWriter({
    unsent: history.unsent,
    columns: history.columns,
    listOwners: () => listOwners(store),
    send: sendTo(config.remoteWrite),
    clock: systemClock,
    log,
  })
}

/** Starts sending the history elsewhere. */
export function writerJobs(writer: RemoteWriter | undefined, log: ContextOptions['log']): readonly Stoppable[] {
  if (writer === undefined) return []
  const ending = new AbortController()
  const job = every(2_000, 'send history by remote_write', () => writer.run(ending.signal), log)
  const stop = async () => {
    ending.abort()
    await job.stop()
  }
  return [{ stop }]
}
