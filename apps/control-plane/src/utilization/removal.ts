import type { UsageRemoval, UsageRemovalService } from '@roost/api-types/rpc'
import type { Writes } from '../database/writes.js'
import { roundRange, timeText } from './half-hours.js'
import type { UsageRemovalStore } from './removal-store.js'

interface UsageRemovalOptions {
  readonly store: UsageRemovalStore
  readonly writes: Writes
  /** Unix milliseconds. */
  readonly now: () => number
}

export function createUsageRemoval({ store, writes, now }: UsageRemovalOptions): UsageRemovalService {
  return {
    remove: ({ node, ...asked }: UsageRemoval, caller) => {
      const range = roundRange(asked, now())
      return writes.run(caller, async (tx) => {
        const rows = await store.delete(tx, node, range)
        const changes = { from: [null, timeText(range.from)], to: [null, timeText(range.to)], rows: [rows, 0] } as const
        return { result: { rows }, audit: { action: 'remove_usage', resource: 'nodes', resourceId: node, changes } }
      })
    },
  }
}
