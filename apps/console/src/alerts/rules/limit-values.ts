import { AlertMetricRuleInput, faultsOf } from '@roost/api-types/rest'
import type { LimitRecord } from '../../api/queries/alerts.js'
import { idIn } from '../../api/uri.js'
import type { Faults } from '../../form/use-form.js'

/** What the form of a limit contains; numbers are texts. */
export interface LimitValues {
  readonly name: string
  /** Id of a cluster; empty: all. */
  readonly cluster: string
  readonly level: 'node' | 'cluster'
  readonly metric: string
  readonly comparison: 'above' | 'below'
  readonly threshold: string
  /** Empty: the threshold. */
  readonly end_threshold: string
  readonly for_seconds: string
  readonly severity: 'warning' | 'critical'
  readonly enabled: boolean
  readonly comment: string
}

const newLimit: LimitValues = {
  name: '',
  cluster: '',
  level: 'node',
  metric: '',
  comparison: 'above',
  threshold: '',
  end_threshold: '',
  for_seconds: '300',
  severity: 'warning',
  enabled: true,
  comment: '',
}

/** Returns the values of a limit, or those of a new one. */
export function limitValues(limit: LimitRecord | undefined): LimitValues {
  if (limit === undefined) return newLimit
  const { cluster, threshold, end_threshold: end, for_seconds: seconds } = limit
  return {
    ...limit,
    cluster: cluster === null ? '' : String(idIn(cluster)),
    threshold: String(threshold),
    end_threshold: end === null ? '' : String(end),
    for_seconds: String(seconds),
  }
}

/** An empty text is no number. */
function numberIn(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text)
}

export function limitInput(values: LimitValues) {
  const { name, cluster, level } = values
  return { name: name.trim(), cluster: cluster === '' ? null : Number(cluster), level, ...limitChange(values) }
}

/** Returns what can be changed of a limit. */
export function limitChange(values: LimitValues) {
  const { metric, comparison, threshold, end_threshold: end, for_seconds: seconds, severity, enabled, comment } = values
  return {
    metric: metric.trim(),
    comparison,
    threshold: numberIn(threshold),
    end_threshold: end.trim() === '' ? null : numberIn(end),
    for_seconds: numberIn(seconds),
    severity,
    enabled,
    comment: comment.trim(),
  }
}

export function checkLimit(values: LimitValues): Faults {
  return faultsOf(AlertMetricRuleInput, limitInput(values))
}
