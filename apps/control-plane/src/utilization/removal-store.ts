import type { Transaction } from '../database/transaction.js'
import type { HalfHours } from './half-hours.js'

export interface UsageRemovalStore {
  /** Removes what the node has reported of these half-hours; returns the number of rows. */
  delete(tx: Transaction, nodeId: number, range: HalfHours): Promise<number>
}

export function createUsageRemovalStore(): UsageRemovalStore {
  return {
    async delete(tx, nodeId, { from, to }) {
      const where = { nodeId, halfHour: { gte: from, lt: to } }
      const storage = await tx.storageUsage.deleteMany({ where })
      const transfer = await tx.transferUsage.deleteMany({ where })
      const log = await tx.logCoverage.deleteMany({ where })
      return storage.count + transfer.count + log.count
    },
  }
}
