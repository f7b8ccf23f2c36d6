import { removeInBatches } from './remove-in-batches.js'
import type { RetentionStore } from './retention-store.js'

/** Removes rows that are older than their retention, in batches. */
export type Retention = { readonly [Kind in keyof RetentionStore]: () => Promise<void> }

interface RetentionOptions {
  readonly store: RetentionStore
  readonly keptMs: { readonly [Kind in keyof RetentionStore]: number }
  /** Unix milliseconds. */
  readonly now: () => number
}

export function createRetention({ store, keptMs, now }: RetentionOptions): Retention {
  const prune = (kind: keyof RetentionStore) => () =>
    removeInBatches((rows) => store[kind](new Date(now() - keptMs[kind]), rows))
  return {
    auditEvents: prune('auditEvents'),
    finishedJobs: prune('finishedJobs'),
    idempotencyKeys: prune('idempotencyKeys'),
    resolvedAlerts: prune('resolvedAlerts'),
    alertDeliveries: prune('alertDeliveries'),
    endedSilences: prune('endedSilences'),
    capacityDays: prune('capacityDays'),
  }
}
