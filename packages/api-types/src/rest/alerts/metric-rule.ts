import { z } from 'zod'
import { boundedText } from '../../values/text.js'
import { byId, throughCluster } from '../dialect/rules.js'
import type { ResourceRules } from '../dialect/rules.js'
import { changedSet, SetName, shownSet } from '../../values/record-set.js'
import { blankKey, relationTo, relationUri, ResourceUri } from '../dialect/uri.js'
import { longestForSeconds } from './rule.js'

const example = {
  id: 5,
  resource_uri: '/api/v1/alert_metric_rules/5/',
  name: 'load',
  cluster: null,
  level: 'node',
  metric: 'load.longterm',
  comparison: 'above',
  threshold: 64,
  end_threshold: 48,
  for_seconds: 600,
  severity: 'warning',
  enabled: true,
  comment: '',
}

const fields = {
  metric: boundedText(256)
    .min(1)
    .refine((pattern) => pattern.split('*').length <= 17, { error: 'A pattern may have 16 stars.' })
    .meta({ description: 'A name, or a pattern in which * matches any sequence of characters' }),
  comparison: z.enum(['above', 'below']),
  threshold: z.number().meta({ description: 'An alert begins when a value is above, or below it' }),
  end_threshold: z
    .number()
    .nullable()
    .meta({ description: 'An alert ends when the value is not beyond this one any more; null: the threshold' }),
  for_seconds: z
    .int()
    .min(0)
    .max(longestForSeconds)
    .meta({ description: 'For how long a value must be beyond the limit before the alert fires' }),
  severity: z.enum(['warning', 'critical']),
  enabled: z.boolean(),
}

/** A limit that operators have set for metrics: an alert METRIC for each value beyond it. */
export const AlertMetricRule = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    name: z.string().meta({ description: 'The first part of the subject of its alerts' }),
    cluster: relationUri('clusters').nullable().meta({ description: 'Of this cluster alone; null: of all' }),
    level: z
      .enum(['node', 'cluster'])
      .meta({ description: 'node: the values of each node; cluster: their sum or mean' }),
    ...fields,
    comment: z.string().meta({ [blankKey]: true }),
    set: shownSet,
  })
  .meta({ id: 'AlertMetricRule', examples: [example] })
export type AlertMetricRule = z.infer<typeof AlertMetricRule>

export const AlertMetricRuleInput = z
  .object({
    ...fields,
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'Use 1 to 64 letters, digits, dots, underscores or dashes.'),
    cluster: relationTo('clusters').nullable().default(null),
    level: z.enum(['node', 'cluster']).default('node'),
    end_threshold: fields.end_threshold.default(null),
    for_seconds: fields.for_seconds.default(300),
    severity: fields.severity.default('warning'),
    enabled: fields.enabled.default(true),
    comment: boundedText(500).default(''),
    set: SetName.optional(),
  })
  .meta({
    examples: [{ name: 'load', metric: 'load.longterm', comparison: 'above', threshold: 64, end_threshold: 48 }],
  })
export type AlertMetricRuleInput = z.infer<typeof AlertMetricRuleInput>

/** A rule keeps its name, its cluster and its level. */
export const AlertMetricRuleChange = z
  .object({ ...fields, comment: boundedText(500), set: changedSet })
  .partial()
  .meta({ examples: [{ threshold: 80, end_threshold: null }] })
export type AlertMetricRuleChange = z.infer<typeof AlertMetricRuleChange>

export const alertMetricRuleRules = {
  filters: { ...byId, ...throughCluster, name: 'text', level: 'text', enabled: 'boolean', set: 'text' },
  ordering: ['id', 'name', 'enabled'],
  observed: [],
} as const satisfies ResourceRules
