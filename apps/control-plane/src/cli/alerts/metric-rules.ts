import { byNames } from '@roost/api-types'
import type { AlertMetricRule, AlertMetricRuleInput } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findNamed } from '../client/api.js'
import { byCluster, bySet, flagField, numberField, setField, textField } from '../records/fields.js'
import { addNoun } from '../records/noun.js'
import type { FieldOption, Noun } from '../records/noun.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import type { Terminal } from '../terminal/terminal.js'
import { readForCluster, forClusterField } from './for-cluster.js'

/** A limit may have a sign and a fraction. */
function limitField(field: string, description: string): FieldOption {
  const flag = `--${field.replaceAll('_', '-')}`
  return {
    flags: `${flag} <number>`,
    description,
    field,
    async value(_rpc, text) {
      if (text === 'null') return null
      if (/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) return Number(text)
      throw new CommandError(`${flag} must be a number.`, exitCodes.usage)
    },
  }
}

const metricField = textField('metric', 'name, or a pattern in which * matches any sequence of characters')
const comparisonField = textField('comparison', 'above or below')
const beginField = limitField('threshold', 'an alert begins beyond it')
const others = [
  limitField('end_threshold', 'an alert ends when the value is not beyond this one any more; null: the threshold'),
  numberField('for_seconds', 'for how long a value must be beyond the limit before the alert fires (default: 300)'),
  textField('severity', 'warning or critical (default: warning)'),
  flagField('enabled', 'whether it begins alerts'),
  textField('comment', 'why'),
  setField,
]

const rules: Noun<AlertMetricRule> = {
  name: 'metric-rule',
  plural: 'limits of metrics',
  description: 'Manage limits of metrics, beyond which an alert METRIC begins',
  named: 'by name or id',
  filters: [byCluster, bySet],
  enabledFrom: 'It takes effect within 30 s.',
  async view(rpc) {
    const forCluster = await readForCluster(rpc)
    return {
      columns: {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        CLUSTER: ({ cluster }) => forCluster.shown(cluster),
        LEVEL: ({ level }) => level,
        METRIC: ({ metric }) => metric,
        THRESHOLD: ({ comparison, threshold }) => `${comparison} ${threshold}`,
        FOR: ({ for_seconds: seconds }) => `${seconds} s`,
        SEVERITY: ({ severity }) => severity,
        ENABLED: ({ enabled }) => enabled,
      },
      wide: { END: ({ end_threshold: end }) => end, COMMENT: ({ comment }) => comment, SET: ({ set }) => set },
      name: ({ name }) => name,
      document: ({ id: _id, resource_uri: _uri, name, cluster, ...rule }) => ({
        kind: 'alert_metric_rule',
        name,
        cluster: forCluster.written(cluster),
        ...rule,
      }),
    }
  },
  list: (rpc, query) => rpc.alertMetricRules.list.query(byNames(query)),
  find: (rpc, text) => findNamed('metric rule', rpc.alertMetricRules, 'name', text),
  add: {
    fields: [
      { ...metricField, isRequired: true },
      { ...comparisonField, isRequired: true },
      { ...beginField, isRequired: true },
      textField('level', 'node: the values of each node; cluster: their sum or mean (default: node)'),
      forClusterField,
      ...others,
    ],
    run: (rpc, name, values) => rpc.alertMetricRules.create.mutate({ name, ...values } as AlertMetricRuleInput),
  },
  change: {
    fields: [metricField, comparisonField, beginField, ...others],
    run: (rpc, { id }, change) => rpc.alertMetricRules.change.mutate({ id, change }),
  },
  remove: {
    loss: ({ name }) => `Alerts of the rule ${name} end.`,
    run: (rpc, { id }) => rpc.alertMetricRules.remove.mutate({ id }),
  },
}

/** Adds the commands for limits of metrics below those for alerts. */
export function addMetricRules(alert: Command, config: () => Config, terminal: Terminal): void {
  addNoun(alert, config, terminal, rules)
}
