import type { Stoppable } from '@roost/runtime'
import type { Database } from '../database/database.js'
import { every } from '../jobs/every.js'
import { createRetentionStore } from '../jobs/retention-store.js'
import { createRetention } from '../jobs/retention.js'
import type { ContextOptions } from './options.js'

const pruneEveryMs = 600_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** A year and a month: an alert that returns each year is found. */
const alertRetentionDays = 400
const deliveryRetentionDays = 30
/** The audit still has them. */
const silenceRetentionDays = 30
/** Two years show a year beside the one before it. */
const capacityRetentionDays = 800

/** Removes old audit events, jobs, idempotency keys, alerts, their messages and silences, and days of capacity, each on its own period, so that one failure does not stop the others. */
export function buildRetention(database: Database, { config, log, now }: ContextOptions): Stoppable {
  const retention = createRetention({
    store: createRetentionStore(database),
    keptMs: {
      auditEvents: config.auditRetentionDays * dayMs,
      finishedJobs: config.jobRetentionDays * dayMs,
      idempotencyKeys: config.idempotencyRetentionHours * hourMs,
      resolvedAlerts: alertRetentionDays * dayMs,
      alertDeliveries: deliveryRetentionDays * dayMs,
      endedSilences: silenceRetentionDays * dayMs,
      capacityDays: capacityRetentionDays * dayMs,
    },
    now,
  })
  const pruning = [
    every(pruneEveryMs, 'remove old audit events', retention.auditEvents, log),
    every(pruneEveryMs, 'remove old jobs', retention.finishedJobs, log),
    every(pruneEveryMs, 'remove old idempotency keys', retention.idempotencyKeys, log),
    every(pruneEveryMs, 'remove old alerts', retention.resolvedAlerts, log),
    every(pruneEveryMs, 'remove old messages about alerts', retention.alertDeliveries, log),
    every(pruneEveryMs, 'remove silences that have ended', retention.endedSilences, log),
    every(pruneEveryMs, 'remove old days of capacity', retention.capacityDays, log),
  ]
  return {
    async stop() {
      await Promise.all(pruning.map((job) => job.stop()))
    },
  }
}
