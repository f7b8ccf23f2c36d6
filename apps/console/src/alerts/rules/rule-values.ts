import { AlertRuleInput, faultsOf } from '@roost/api-types/rest'
import type { RuleRecord } from '../../api/queries/alerts.js'
import { idIn } from '../../api/uri.js'
import type { Faults } from '../../form/use-form.js'
import { t } from '../../words/text.js'

/** What the form of a rule contains. */
export interface RuleValues {
  readonly code: string
  /** Id of a cluster; empty: all. */
  readonly cluster: string
  readonly enabled: boolean
  /** Empty: as the check says. */
  readonly severity: '' | 'warning' | 'critical'
  /** Empty: as the check says. */
  readonly for_seconds: string
  readonly comment: string
}

/** Returns the values of a rule, or those of a new one. */
export function ruleValues(rule: RuleRecord | undefined): RuleValues {
  if (rule === undefined) return { code: '', cluster: '', enabled: true, severity: '', for_seconds: '', comment: '' }
  const { code, cluster, enabled, severity, for_seconds: seconds, comment } = rule
  return {
    code,
    cluster: cluster === null ? '' : String(idIn(cluster)),
    enabled,
    severity: severity ?? '',
    for_seconds: seconds === null ? '' : String(seconds),
    comment,
  }
}

export function ruleInput({ code, cluster, ...values }: RuleValues) {
  return { code, cluster: cluster === '' ? null : Number(cluster), ...ruleChange(values) }
}

/** Returns what can be changed of a rule. */
export function ruleChange({ enabled, severity, for_seconds: seconds, comment }: Omit<RuleValues, 'code' | 'cluster'>) {
  return {
    enabled,
    severity: severity === '' ? null : severity,
    for_seconds: seconds.trim() === '' ? null : Number(seconds),
    comment: comment.trim(),
  }
}

/** Returns the faults by the names of the form. A rule that changes nothing is refused. */
export function checkRule(values: RuleValues): Faults {
  const { severity, for_seconds: seconds, enabled } = values
  const isIdle = enabled && severity === '' && seconds.trim() === ''
  return { ...faultsOf(AlertRuleInput, ruleInput(values)), ...(isIdle && { severity: [t('rules.idle')] }) }
}
