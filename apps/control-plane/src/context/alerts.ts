import { offlineAfter } from '../agents/presence.js'
import { defaultStreamLimits } from '../agents/limits/stream-limits.js'
import { heartbeatIntervalMs } from '../agents/limits/pace.js'
import { announce } from '../alerts/delivery/outbox-store.js'
import { createAlertRounds } from '../alerts/rounds.js'
import type { AlertRounds } from '../alerts/rounds.js'
import { createAlertService } from '../alerts/service.js'
import { createAlertStore } from '../alerts/store.js'
import type { Database } from '../database/database.js'
import { createDelivery } from '../alerts/delivery/feature.js'
import type { DeliveryFeature, DeliveryOptions } from '../alerts/delivery/feature.js'
import type { AlertService } from '@roost/api-types/rpc'
import type { ContextOptions } from './options.js'

export interface AlertFeature {
  readonly services: { readonly alerts: AlertService } & DeliveryFeature['services']
  readonly rounds: AlertRounds
  readonly delivery: DeliveryFeature
}

/** Builds the alerts, which every round of the health advances. */
export function buildAlerts(
  database: Database,
  options: ContextOptions,
  { writes, secrets }: Pick<DeliveryOptions, 'writes' | 'secrets'>,
): AlertFeature {
  const { now } = options
  const store = createAlertStore(database, announce)
  const { heartbeatMs } = defaultStreamLimits
  // After a start, a node is offline only when it has missed as many heartbeats.
  const settlingMs = (nodes: number) => offlineAfter * heartbeatIntervalMs(nodes, heartbeatMs)
  const rounds = createAlertRounds({ store, settlingMs, now })
  const delivery = createDelivery({ ...options, database, writes, secrets, evaluatedMs: () => rounds.evaluatedMs() })
  return {
    services: { alerts: createAlertService({ store, writes, now }), ...delivery.services },
    rounds,
    delivery,
  }
}
