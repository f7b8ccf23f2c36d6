import { offlineAfter } from '../agents/presence.js'
import { defaultStreamLimits } from '../agents/limits/stream-limits.js'
import { heartbeatIntervalMs } from '../agents/limits/pace.js'
import { createAlertRounds } from '../alerts/rounds.js'
import type { AlertRounds } from '../alerts/rounds.js'
import { createAlertService } from '../alerts/service.js'
import { createAlertStore } from '../alerts/store.js'
import type { Database } from '../database/database.js'
import type { Writes } from '../database/writes.js'
import type { AlertService } from '@roost/api-types/rpc'
import type { ContextOptions } from './options.js'

export interface AlertFeature {
  readonly services: { readonly alerts: AlertService }
  readonly rounds: AlertRounds
}

/** Builds the alerts, which every round of the health advances. */
export function buildAlerts(database: Database, { now }: ContextOptions, writes: Writes): AlertFeature {
  const store = createAlertStore(database)
  const { heartbeatMs } = defaultStreamLimits
  // After a start, a node is offline only when it has missed as many heartbeats.
  const settlingMs = (nodes: number) => offlineAfter * heartbeatIntervalMs(nodes, heartbeatMs)
  return {
    services: { alerts: createAlertService({ store, writes, now }) },
    rounds: createAlertRounds({ store, settlingMs, now }),
  }
}
