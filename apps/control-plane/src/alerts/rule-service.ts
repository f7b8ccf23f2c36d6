import { resources } from '@roost/api-types/rpc'
import type { Services } from '@roost/api-types/rpc'
import { crudService } from '../database/crud-service.js'
import type { Writes } from '../database/writes.js'
import { fieldError } from '../services/field-errors.js'
import type { RuleEffect, RuleStore } from './rule-store.js'

export interface RuleServiceOptions {
  readonly store: RuleStore
  readonly writes: Writes
}

/** The API of the rules by which operators change the alerts of a code. The next round of the health goes by them. */
export function createRuleService({ store, writes }: RuleServiceOptions): Services['alertRules'] {
  return crudService(resources.alertRules, {
    store,
    writes,
    checks: {
      async create(tx, { code, cluster, ...effect }) {
        assertEffect(effect)
        if (await store.isInUse(tx, { code, cluster }))
          throw fieldError({
            code: [`There is a rule for ${code} in ${cluster === null ? 'all clusters' : 'this cluster'} already.`],
          })
      },
      async change(_tx, before, change) {
        const { enabled = before.enabled, severity = before.severity, for_seconds = before.for_seconds } = change
        assertEffect({ enabled, severity, for_seconds })
      },
    },
  })
}

function assertEffect({ enabled, severity, for_seconds: forSeconds }: RuleEffect): void {
  if (enabled && severity === null && forSeconds === null)
    throw fieldError({ enabled: ['This rule would change nothing. Set severity or for_seconds, or remove it.'] })
}
