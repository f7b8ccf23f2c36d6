import { offlineAfter } from '../agents/presence.js'
import { defaultStreamLimits } from '../agents/limits/stream-limits.js'
import { heartbeatIntervalMs } from '../agents/limits/pace.js'
import { announce } from '../alerts/delivery/outbox-store.js'
import { createAlertRounds } from '../alerts/rounds.js'
import type { AlertRounds, AlertRoundsOptions } from '../alerts/rounds.js'
import { createAlertService } from '../alerts/service.js'
import { createAlertStore } from '../alerts/store.js'
import { createMetricRuleService } from '../alerts/metric-rule-service.js'
import { createMetricRuleStore } from '../alerts/metric-rule-store.js'
import { createRuleService } from '../alerts/rule-service.js'
import { createRuleStore } from '../alerts/rule-store.js'
import { createSilenceEffect } from '../alerts/silence-effect-store.js'
import type { SilenceEffect } from '../alerts/silence-effect-store.js'
import { createSilenceService } from '../alerts/silence-service.js'
import { createSilenceStore } from '../alerts/silence-store.js'
import type { Database } from '../database/database.js'
import { createDelivery } from '../alerts/delivery/feature.js'
import type { DeliveryFeature, DeliveryOptions } from '../alerts/delivery/feature.js'
import type { Services } from '@roost/api-types/rpc'
import type { ContextOptions } from './options.js'

export interface AlertFeature {
  readonly services: Pick<Services, 'alerts' | 'alertMetricRules' | 'alertRules' | 'alertSilences'> &
    DeliveryFeature['services']
  readonly silences: SilenceEffect
  readonly rounds: AlertRounds
  readonly delivery: DeliveryFeature
}

interface AlertNeeds extends Pick<DeliveryOptions, 'writes' | 'secrets'> {
  /** The latest values, which limits of metrics are compared with; they are built later. */
  readonly values: AlertRoundsOptions['values']
}

/** Builds the alerts, which every round of the health advances. */
export function buildAlerts(
  database: Database,
  options: ContextOptions,
  { writes, secrets, values }: AlertNeeds,
): AlertFeature {
  const { now } = options
  const silences = createSilenceEffect()
  // What is silent now must not be announced before it is known as silent.
  const store = createAlertStore(database, async (tx, scope, at) => {
    await silences.refresh(at, tx)
    await announce(tx, scope, at)
  })
  const rules = createRuleStore(database)
  const metricRules = createMetricRuleStore(database)
  const { heartbeatMs } = defaultStreamLimits
  // After a start, a node is offline only when it has missed as many heartbeats.
  const settlingMs = (nodes: number) => offlineAfter * heartbeatIntervalMs(nodes, heartbeatMs)
  const rounds = createAlertRounds({ store, rules, metricRules, values, settlingMs, now })
  const delivery = createDelivery({ ...options, database, writes, secrets, evaluatedMs: () => rounds.evaluatedMs() })
  return {
    services: {
      alerts: createAlertService({ store, writes, now }),
      alertMetricRules: createMetricRuleService({ store: metricRules, writes }),
      alertRules: createRuleService({ store: rules, writes }),
      alertSilences: createSilenceService({ store: createSilenceStore(database), effect: silences, writes, now }),
      ...delivery.services,
    },
    silences,
    rounds,
    delivery,
  }
}
