import type { Severity } from '@roost/api-types/checks'
import { resources } from '@roost/api-types/rpc'
import type { Database } from '../database/database.js'
import { tableStore } from '../database/table-store.js'
import type { Transaction } from '../database/transaction.js'
import type { MetricRule } from './metric-judge.js'

export type MetricRuleStore = ReturnType<typeof createMetricRuleStore>

export function createMetricRuleStore(database: Database) {
  return {
    ...tableStore(database, resources.alertMetricRules, { model: 'AlertMetricRule', columns: { set: 'setName' } }),
    count: async (tx: Transaction): Promise<number> => tx.alertMetricRule.count(),
    /** Returns the rules that count, for the rounds of alerts. */
    async listEnabled(): Promise<readonly MetricRule[]> {
      const rows = await database.prisma.alertMetricRule.findMany({ where: { enabled: true }, orderBy: { id: 'asc' } })
      return rows.map(({ clusterId: scope, level, comparison, severity, threshold: limit, endThreshold, ...row }) => ({
        ...row,
        scope,
        level: level as MetricRule['level'],
        comparison: comparison as MetricRule['comparison'],
        severity: severity as Severity,
        limit,
        endLimit: endThreshold ?? limit,
      }))
    },
  }
}
