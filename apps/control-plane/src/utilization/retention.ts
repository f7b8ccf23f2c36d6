import { removeInBatches } from '../jobs/remove-in-batches.js'
import { halfHourMs } from './half-hours.js'
import type { UsageRetentionStore } from './retention-store.js'

export interface UsageRetention {
  /** The first half-hour that is kept now. */
  oldestKept(): number
  /** Removes what is older, in batches. */
  prune(): Promise<void>
}

interface UsageRetentionOptions {
  readonly store: UsageRetentionStore
  readonly days: number
  /** Unix milliseconds. */
  readonly now: () => number
}

export function createUsageRetention({ store, days, now }: UsageRetentionOptions): UsageRetention {
  const oldestKept = () => Math.floor((now() - days * 86_400_000) / halfHourMs)
  return {
    oldestKept,
    prune: () => removeInBatches((rows) => store.deleteBefore(oldestKept(), rows)),
  }
}
