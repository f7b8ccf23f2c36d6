import type { Database } from '../database/database.js'

export interface UsageRetentionStore {
  /** Removes at most so many rows of each table from before that half-hour; answers how many there were. */
  deleteBefore(halfHour: number, rows: number): Promise<number>
}

export function createUsageRetentionStore({ prisma }: Pick<Database, 'prisma'>): UsageRetentionStore {
  return {
    async deleteBefore(halfHour, rows) {
      const removed = [
        await prisma.$executeRaw`delete from storage_usage where ctid = any(array(
          select ctid from storage_usage where half_hour < ${halfHour} order by half_hour limit ${rows}))`,
        await prisma.$executeRaw`delete from transfer_usage where ctid = any(array(
          select ctid from transfer_usage where half_hour < ${halfHour} order by half_hour limit ${rows}))`,
        await prisma.$executeRaw`delete from log_coverage where ctid = any(array(
          select ctid from log_coverage where half_hour < ${halfHour} order by half_hour limit ${rows}))`,
      ]
      return removed.reduce((sum, count) => sum + count, 0)
    },
  }
}
