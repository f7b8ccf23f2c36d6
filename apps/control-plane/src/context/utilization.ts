import type { Services } from '@roost/api-types/rpc'
import type { Stoppable } from '@roost/runtime'
import type { Writes } from '../database/writes.js'
import type { Database } from '../database/database.js'
import { every } from '../jobs/every.js'
import type { ContextOptions } from './options.js'
import { createCoverageStore } from '../utilization/coverage-store.js'
import { createUsageIntakeStore } from '../utilization/intake-store.js'
import { createUsageIntake } from '../utilization/intake.js'
import type { UsageIntake } from '../utilization/intake.js'
import { createUsageRemoval } from '../utilization/removal.js'
import { createUsageRemovalStore } from '../utilization/removal-store.js'
import { createUsageRetentionStore } from '../utilization/retention-store.js'
import { createUsageRetention } from '../utilization/retention.js'
import { createUsageSeries } from '../utilization/series.js'
import { createSeriesStore } from '../utilization/series-store.js'
import { createUtilizationService } from '../utilization/service.js'
import type { UtilizationFeeds } from '../utilization/service.js'
import { createStorageUsageStore, createTransferUsageStore } from '../utilization/store.js'

const pruneEveryMs = 600_000

export interface UtilizationFeature extends Stoppable {
  readonly service: UtilizationFeeds
  readonly intake: UsageIntake
  readonly services: (writes: Writes) => Pick<Services, 'utilization' | 'usageSeries' | 'usageRemoval'>
}

/** Builds usage by half-hour: queries, intake and retention. */
export function buildUtilization(
  database: Database,
  { config, log, now }: ContextOptions,
  requireCluster: (id: number) => Promise<unknown>,
): UtilizationFeature {
  const retention = createUsageRetention({
    store: createUsageRetentionStore(database),
    days: config.usageRetentionDays,
    now,
  })
  const intakeStore = createUsageIntakeStore(database)
  const pruning = every(pruneEveryMs, 'remove old usage', () => retention.prune(), log)
  const service = createUtilizationService({
    storage: createStorageUsageStore(database),
    transfer: createTransferUsageStore(database),
    coverage: createCoverageStore(database),
    requireCluster,
    now,
  })
  return {
    service,
    intake: createUsageIntake({ store: intakeStore, oldestKept: () => retention.oldestKept(), log, now }),
    services: (writes) => ({
      utilization: service,
      usageSeries: createUsageSeries({ store: createSeriesStore(database), requireCluster, now }),
      usageRemoval: createUsageRemoval({ store: createUsageRemovalStore(), writes, now }),
    }),
    stop: () => pruning.stop(),
  }
}
