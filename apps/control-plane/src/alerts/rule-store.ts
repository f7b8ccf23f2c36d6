import type { AlertRule } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Severity } from '@roost/api-types/checks'
import type { Database } from '../database/database.js'
import { tableStore } from '../database/table-store.js'
import type { ChangedCode } from './rules.js'

export type RuleStore = ReturnType<typeof createRuleStore>

export function createRuleStore(database: Database) {
  const { prisma } = database
  return {
    ...tableStore(database, resources.alertRules, { model: 'AlertRule', columns: { set: 'setName' } }),
    /** Returns all rules, for the rounds of alerts. */
    async listAll(): Promise<readonly ChangedCode[]> {
      const rows = await prisma.alertRule.findMany({ orderBy: { id: 'asc' } })
      return rows.map(({ severity, clusterId: scope, ...row }) => ({
        ...row,
        scope,
        severity: severity as Severity | null,
      }))
    },
  }
}

/** The fields by which a rule changes something. */
export type RuleEffect = Pick<AlertRule, 'enabled' | 'severity' | 'for_seconds'>
