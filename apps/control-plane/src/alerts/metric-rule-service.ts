import { RoostError } from '@roost/api-types/rest'
import type { AlertMetricRule } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Services } from '@roost/api-types/rpc'
import { crudService } from '../database/crud-service.js'
import type { Writes } from '../database/writes.js'
import { fieldError } from '../services/field-errors.js'
import type { MetricRuleStore } from './metric-rule-store.js'

export interface MetricRuleServiceOptions {
  readonly store: MetricRuleStore
  readonly writes: Writes
}

/** Each is read in every round of the health. */
const mostRules = 100

/** The API of the limits that operators set for metrics. The next round of the health goes by them. */
export function createMetricRuleService({ store, writes }: MetricRuleServiceOptions): Services['alertMetricRules'] {
  return crudService(resources.alertMetricRules, {
    store,
    writes,
    checks: {
      async create(tx, { name, ...limits }) {
        assertEnd(limits)
        if (await store.isInUse(tx, { name })) throw fieldError({ name: [`A rule '${name}' already exists.`] })
        if ((await store.count(tx)) >= mostRules)
          throw new RoostError('conflict', `There can be ${mostRules} rules for metrics. Remove one, or use a pattern.`)
      },
      async change(_tx, before, change) {
        const {
          comparison = before.comparison,
          threshold = before.threshold,
          end_threshold = before.end_threshold,
        } = change
        assertEnd({ comparison, threshold, end_threshold })
      },
    },
  })
}

type Limits = Pick<AlertMetricRule, 'comparison' | 'threshold' | 'end_threshold'>

/** An alert must not begin where it has ended. */
function assertEnd({ comparison, threshold, end_threshold: end }: Limits): void {
  if (end === null || (comparison === 'above' ? end <= threshold : end >= threshold)) return
  const side = comparison === 'above' ? 'above' : 'below'
  throw fieldError({ end_threshold: [`It must not be ${side} the threshold.`] })
}
