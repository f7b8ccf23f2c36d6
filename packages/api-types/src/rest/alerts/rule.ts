import { z } from 'zod'
import { alertCodes } from '../../checks/list.js'
import { boundedText } from '../../values/text.js'
import { byId, throughCluster } from '../dialect/rules.js'
import type { ResourceRules } from '../dialect/rules.js'
import { changedSet, SetName, shownSet } from '../../values/record-set.js'
import { blankKey, relationTo, relationUri, ResourceUri } from '../dialect/uri.js'

const example = {
  id: 2,
  resource_uri: '/api/v1/alert_rules/2/',
  code: 'POLICY_UNEVEN',
  cluster: '/api/v1/clusters/1/',
  enabled: true,
  severity: null,
  for_seconds: 604_800,
  comment: 'a rebalance takes a week here',
}

const Severity = z.enum(['warning', 'critical'])

/** Of a problem that lasts for longer before its alert fires, operators would not see the beginning. */
export const longestForSeconds = 30 * 86_400

const fields = {
  enabled: z.boolean().meta({ description: 'false: the problem is no alert; it stays a reason of the health' }),
  severity: Severity.nullable().meta({ description: 'Of its alerts; null: as the check says' }),
  for_seconds: z
    .int()
    .min(0)
    .max(longestForSeconds)
    .nullable()
    .meta({ description: 'For how long the problem must last before its alert fires; null: as the check says' }),
}

/** What operators have changed of the alerts of a code. */
export const AlertRule = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    code: z.string().meta({ description: 'Such as DEVICE_UNMOUNTED' }),
    cluster: relationUri('clusters')
      .nullable()
      .meta({ description: 'In this cluster, instead of the rule for all; null: in all, and of the control plane' }),
    ...fields,
    comment: z.string().meta({ [blankKey]: true }),
    set: shownSet,
  })
  .meta({ id: 'AlertRule', examples: [example] })
export type AlertRule = z.infer<typeof AlertRule>

export const AlertRuleInput = z
  .object({
    code: z.string().refine((code) => alertCodes.includes(code), {
      error: 'Unknown code. docs/checks.md lists the codes.',
    }),
    cluster: relationTo('clusters').nullable().default(null),
    enabled: fields.enabled.default(true),
    severity: fields.severity.default(null),
    for_seconds: fields.for_seconds.default(null),
    comment: boundedText(500).default(''),
    set: SetName.optional(),
  })
  .meta({ examples: [{ code: 'POLICY_UNEVEN', for_seconds: 604_800, comment: 'a rebalance takes a week here' }] })
export type AlertRuleInput = z.infer<typeof AlertRuleInput>

/** A rule keeps its code and its cluster. */
export const AlertRuleChange = z
  .object({ ...fields, comment: boundedText(500), set: changedSet })
  .partial()
  .meta({ examples: [{ severity: 'critical' }] })
export type AlertRuleChange = z.infer<typeof AlertRuleChange>

export const alertRuleRules = {
  filters: { ...byId, ...throughCluster, code: 'text', enabled: 'boolean', set: 'text' },
  ordering: ['id', 'code', 'enabled'],
  observed: [],
} as const satisfies ResourceRules
