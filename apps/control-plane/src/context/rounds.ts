import { createJudgedProblemStore } from '../clusters/health/judged-problem-store.js'
import { createHealthRounds } from '../clusters/health/rounds.js'
import type { HealthRounds } from '../clusters/health/rounds.js'
import type { HealthJudge, JudgedCluster } from '../clusters/health/service.js'
import type { Database } from '../database/database.js'
import type { HistoryFeature } from '../history/feature.js'
import type { DataDirWatch } from '@roost/runtime'
import type { RemoteWriter } from '../prometheus/remote/writer.js'
import { installedAt } from '../self/installation-store.js'
import { createOutages } from '../self/outages.js'
import type { Outages } from '../self/outages.js'
import { createSelf } from '../self/service.js'
import type { ContextOptions } from './options.js'

interface OwnParts {
  readonly history: Pick<HistoryFeature, 'isOn' | 'metrics'>
  readonly writer: Pick<RemoteWriter, 'metrics'> | undefined
  readonly dataDir: Pick<DataDirWatch, 'space'>
}

export interface RoundParts extends OwnParts {
  readonly clusterHealth: HealthJudge
  /** Gets all clusters at the end of a round, and this control plane. */
  readonly judged: (
    clusters: readonly JudgedCluster[],
    self: Awaited<ReturnType<ReturnType<typeof buildSelf>>>,
  ) => Promise<void>
}

/** Of the database, outages of the last hour count. */
const outagesMs = 3_600_000

/** Builds the rounds that judge the clusters and this control plane. */
export function buildRounds(
  database: Database,
  options: ContextOptions,
  { clusterHealth, judged, ...parts }: RoundParts,
): HealthRounds {
  const outages = createOutages(options.now)
  const self = buildSelf(database, options, { ...parts, outages })
  const rounds = createHealthRounds({
    health: clusterHealth,
    store: createJudgedProblemStore(database),
    judged: async (clusters) => judged(clusters, await self()),
  })
  return { ...rounds, run: () => outages.watch(() => rounds.run()) }
}

function buildSelf(
  database: Database,
  options: ContextOptions,
  { history, writer, dataDir, outages }: OwnParts & { readonly outages: Outages },
) {
  const { config, certificates, areCertificatesOwn, refusedStarts, now } = options
  return createSelf({
    dataDir: config.dataDir,
    isBackupCopied: config.backupCopy !== null,
    installedAt: () => installedAt(database),
    read: () => ({
      certificates: certificates(),
      areCertificatesOwn: areCertificatesOwn(),
      space: dataDir.space,
      refusedStart: refusedStarts.latest(),
      heardSinceMs: refusedStarts.sinceMs,
      unavailableMs: outages.within(outagesMs),
      history: history.isOn ? { ...history.metrics(), unsentMs: writer?.metrics().oldestMs } : null,
    }),
    now,
  })
}
