import { check } from './check.js'
import type { Severity } from './check.js'

interface MetricFacts {
  /** The name of the rule. */
  readonly rule: string
  readonly metric: string
  /** The host or the cluster. */
  readonly of: string
  readonly comparison: 'above' | 'below'
  readonly limit: number
  /** Where an alert that has begun ends. */
  readonly endLimit: number
  readonly hasBegun: boolean
  readonly value: number
  readonly severity: Severity
}

/** Returns the subject of the alerts of a rule. */
export function metricSubject(rule: string, metric: string): string {
  return `${rule}: ${metric}`
}

/** The limits of operators. */
export const metricLimit = check({
  code: 'metric',
  severity: 'warning',
  about: 'metric',
  endangers: 'upkeep',
  effect: 'A value is beyond the limit that an operator has set for it.',
  measure: { what: 'value of the metric, in its unit' },
  judge({ rule, metric, of, comparison, limit, endLimit, hasBegun, value, severity }: MetricFacts) {
    const threshold = hasBegun ? endLimit : limit
    const isBeyond = comparison === 'above' ? value > threshold : value < threshold
    if (!isBeyond) return undefined
    const rounded = Number(value.toPrecision(4))
    return {
      subject: metricSubject(rule, metric),
      severity,
      value,
      threshold: limit,
      sentence: `${metric} of ${of} is ${rounded}; the rule ${rule} allows nothing ${comparison} ${limit}.`,
      remedy: `Look at its history, or change the limit with \`roost alert metric-rule set ${rule}\`.`,
    }
  },
})
