import type { Services } from '@roost/api-types/rpc'
import { systemClock } from '@roost/runtime'
import type { AgentStream } from '../agents/stream.js'
import { readLastBackup } from '../backup/last-backup.js'
import { serverVersion } from '../database/database.js'
import type { Database } from '../database/database.js'
import { version } from '../lifecycle/version.js'
import { createSearch } from '../search/service.js'
import { createSearchStore } from '../search/store.js'
import { createSummaries } from '../summary/service.js'
import { createSummaryStore } from '../summary/store.js'
import { createSystemService } from '../system/service.js'
import { createSystemStore } from '../system/store.js'
import type { Events } from './events.js'
import type { MetricFeatures } from './metrics.js'
import type { ContextOptions } from './options.js'

interface SystemParts extends Pick<MetricFeatures, 'dataDir' | 'healthRounds' | 'history'> {
  readonly events: Pick<Events, 'changes'>
  readonly stream: Pick<AgentStream, 'metrics'>
  readonly clusters: Pick<Services['clusters'], 'get'>
  readonly keyFileFault: () => Promise<string | undefined>
}

/** Builds what is known of a cluster at first sight, what finds records by their names, and what is known of the control plane itself. */
export function buildSystem(
  database: Database,
  { config, now, certificate, trustedCas }: ContextOptions,
  { dataDir, healthRounds, history, events, stream, clusters, keyFileFault }: SystemParts,
): Pick<Services, 'clusterSummary' | 'system' | 'search'> {
  const clusterSummary = createSummaries({
    store: createSummaryStore(database),
    requireCluster: (id) => clusters.get(id),
    judged(clusterId) {
      const judged = healthRounds.latest().find(({ id }) => id === clusterId)
      return judged && { verdict: judged.verdict, rings_agree: judged.ringsAgree }
    },
    changes: events.changes,
    now,
    monotonic: () => systemClock.monotonic(),
  })
  const system = createSystemService({
    store: createSystemStore(database),
    version,
    startedAt: now(),
    isEmbedded: config.databaseUrl === null,
    databaseVersion: () => serverVersion(database),
    isDiskFull: () => database.disk.isFull,
    history,
    disk: () => dataDir.space,
    certificate,
    authority: () => (config.tls.mode === 'auto' ? (trustedCas()[0] ?? null) : null),
    keyFileFault,
    sessions: () => stream.metrics(),
    lastBackup: () => readLastBackup(config.dataDir),
  })
  return { clusterSummary, system, search: createSearch(createSearchStore(database)) }
}
