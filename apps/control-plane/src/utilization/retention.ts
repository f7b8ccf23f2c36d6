import { halfHourMs } from './half-hours.js'
import type { UsageRetentionStore } from './retention-store.js'

export interface UsageRetention {
  /** The first half-hour that is kept now. */
  oldestKept(): number
  /** Removes what is older, little by little. */
  prune(): Promise<void>
}

interface Collaborators {
  readonly store: UsageRetentionStore
  readonly days: number
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Rows that are removed in one statement: a moment's work, so that nobody waits behind it. */
const rowsAtOnce = 10_000
/** Rounds of one run: whoever ends the control plane waits for them. */
const roundsAtOnce = 50

export function createUsageRetention({ store, days, now }: Collaborators): UsageRetention {
  const oldestKept = () => Math.floor((now() - days * 86_400_000) / halfHourMs)
  return {
    oldestKept,
    async prune() {
      for (let round = 0; round < roundsAtOnce; round++)
        if ((await store.deleteBefore(oldestKept(), rowsAtOnce)) === 0) return
    },
  }
}
