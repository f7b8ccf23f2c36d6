import type { StoragePolicy } from '@roost/api-types/rest'
import { systemClock } from '@roost/runtime'
import type { Stoppable } from '@roost/runtime'
import { defaultStreamLimits } from '../agents/limits/stream-limits.js'
import { AgentStream } from '../agents/stream.js'
import { createCapacity } from '../capacity/feature.js'
import { createDayStore } from '../capacity/day-store.js'
import { createForecastStore } from '../capacity/forecast-store.js'
import { createCapacityStore } from '../capacity/store.js'
import { createClusterHealthStore } from '../clusters/health/store.js'
import { createClusterHealthService } from '../clusters/health/service.js'
import type { ClusterHealthOptions } from '../clusters/health/service.js'
import { createStoragePolicyStore } from '../policies/store.js'
import type { ReadStore } from '../services/reads.js'
import { refreshDisk } from '../database/database.js'
import type { Database } from '../database/database.js'
import { every } from '../jobs/every.js'
import { watchDataDir } from '../lifecycle/data-dir.js'
import { createMetrics } from '../metrics/feature.js'
import { createMetricStore } from '../metrics/store.js'
import type { DeliveryFeature } from '../alerts/delivery/feature.js'
import type { AlertRounds } from '../alerts/rounds.js'
import { alertLines } from '../prometheus/alert-lines.js'
import { fleetText } from '../prometheus/fleet-metrics.js'
import { createProcessMetrics } from '../prometheus/own-metrics.js'
import type { PrometheusMetrics } from '../prometheus/routes.js'
import { healthLines } from '../prometheus/health-lines.js'
import { listOwners } from '../prometheus/remote/owners.js'
import { createFleetMetricStore } from '../prometheus/store.js'
import { buildHistory, buildRemoteWriter, historyJobs, writerJobs } from './history.js'
import { buildRounds } from './rounds.js'
import type { RoundParts } from './rounds.js'
import type { ContextOptions } from './options.js'
import { version } from '../lifecycle/version.js'

/** A fault shows on `/metrics` and on its node after this time at the latest. */
const healthIntervalMs = 30_000
/** A daily maximum between two of these is missed. */
const recordDayMs = 300_000

export type MetricFeatures = Awaited<ReturnType<typeof buildMetrics>>

type MetricParts = Pick<ClusterHealthOptions, 'requireCluster' | 'skewOf'> & Pick<RoundParts, 'judged'>

/** Builds metrics and capacity, which are kept in memory: loads them from the database and starts their jobs. */
export async function buildMetrics(
  database: Database,
  options: ContextOptions,
  { requireCluster, skewOf, judged }: MetricParts,
) {
  const { config, log, now } = options
  const metricStore = createMetricStore(database)
  const metrics = createMetrics({
    store: metricStore,
    requireCluster,
    clock: { ...systemClock, now },
    reportIntervalMs: defaultStreamLimits.reportIntervalMs,
  })
  const capacity = buildCapacity(database, requireCluster, { log, now })
  await Promise.all([metrics.intake.refresh(), capacity.intake.load()])
  const refresh = () => metrics.intake.refresh().then(() => capacity.intake.refresh())
  const dataDir = watchDataDir(config.dataDir, log)
  const history = buildHistory(database, { config, now }, metrics, {
    // From memory for a node with metrics.
    requireNode: (id) => metrics.reads.nodeNames(id),
    requireCluster,
    // The disk of a PostgreSQL elsewhere is not known here.
    space: () => (config.databaseUrl === null ? dataDir.space : undefined),
  })
  const writer = buildRemoteWriter(database, { config, log }, history)
  const clusterHealth = createClusterHealthService({
    store: createClusterHealthStore(database),
    listPolicies: policiesOf(createStoragePolicyStore(database, capacity.rawOf)),
    metrics: metrics.reads,
    outlookOf: capacity.outlookOf,
    requireCluster,
    skewOf,
    now,
  })
  const healthRounds = buildRounds(database, options, { history, writer, dataDir, clusterHealth, judged })
  const jobs = [
    ...historyJobs(history, log),
    ...writerJobs(writer, log),
    dataDir,
    every(5_000, 'check whether the disk of the database is still full', () => refreshDisk(database), log),
    every(30_000, 'refresh the list of nodes', refresh, log),
    every(healthIntervalMs, 'judge the health of the clusters', () => healthRounds.run(), log),
    every(3_600_000, 'remove unused metric definitions', () => metrics.intake.prune(), log),
    ...capacityJobs(capacity, log),
  ]
  const parts = { metrics, history, capacity, healthRounds }
  return { ...parts, now, writer, clusterHealth, dataDir, jobs, parts }
}

type ForCapacity = Pick<Parameters<typeof createCapacity>[0], 'log' | 'now'>

function buildCapacity(
  database: Database,
  requireCluster: ClusterHealthOptions['requireCluster'],
  { log, now }: ForCapacity,
) {
  return createCapacity({
    store: createCapacityStore(database),
    days: createDayStore(database),
    forecasts: createForecastStore(database),
    requireCluster,
    log,
    now,
  })
}

function capacityJobs(capacity: ReturnType<typeof createCapacity>, log: ContextOptions['log']): readonly Stoppable[] {
  return [
    every(1_000, 'store new statuses of devices', () => capacity.writer.flushNewStatus(), log),
    // Larger batches: 1,000 rows in one statement cost PostgreSQL three times the CPU of 1,000 out of 5,000.
    every(10_000, 'store the usage of devices', () => capacity.writer.flush(), log),
    every(recordDayMs, 'record the use of this day', capacity.recordDay, log),
    every(3_600_000, 'forecast when devices will be full', capacity.forecastDevices, log),
  ]
}

/** Returns the list of a cluster's policies; no cluster has more than a page of them. */
function policiesOf(store: ReadStore<StoragePolicy>) {
  return async (clusterId: number) => {
    const filters = [{ field: 'cluster', values: [clusterId] }]
    return (await store.list({ filters, order: [], offset: 0, limit: 1_000 })).objects
  }
}

interface AlertSources {
  readonly rounds: Pick<AlertRounds, 'latest'>
  readonly delivery: Pick<DeliveryFeature, 'metrics'>
}

export function buildPrometheus(
  database: Database,
  stream: AgentStream,
  { metrics, capacity, healthRounds, dataDir, history, writer, now }: MetricFeatures,
  { rounds, delivery }: AlertSources,
): PrometheusMetrics {
  const { latest } = metrics
  const own = createProcessMetrics({
    version,
    stream: () => stream.metrics(),
    intake: () => ({ ...latest.counters, nodes: latest.size, names: latest.names }),
    dataDirAvailableBytes: () => dataDir.availableBytes,
    history: () => history.metrics(),
    remoteWrite: () => writer?.metrics(),
    pool: database.pool,
    disk: database.disk,
    alertDelivery: () => delivery.metrics(),
  })
  const store = createFleetMetricStore(database)
  const { isOn, reader, kept, latest: latestOf } = history
  return {
    own,
    remoteRead: { isOn, reader, kept, latest: latestOf, listOwners: () => listOwners(store), now },
    fleet: async () =>
      `${await fleetText(store, capacity, metrics.reads)}${healthLines(healthRounds.latest())}${alertLines(rounds.latest())}`,
  }
}
