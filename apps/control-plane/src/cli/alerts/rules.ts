import { byNames } from '@roost/api-types'
import type { AlertRule } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { pick, recordsById } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { byCluster, bySet, byText, flagField, numberField, setField, textField } from '../records/fields.js'
import { addNoun } from '../records/noun.js'
import type { FieldOption, Noun } from '../records/noun.js'
import type { Terminal } from '../terminal/terminal.js'
import { readForCluster, forClusterField } from './for-cluster.js'

const severityField: FieldOption = {
  ...textField('severity', 'warning or critical; null: as the check says'),
  value: async (_rpc, text) => (text === 'null' ? null : text),
}

const changeable = [
  flagField('enabled', 'whether the problem is an alert'),
  severityField,
  numberField('for_seconds', 'for how long the problem must last before its alert fires; null: as the check says'),
  textField('comment', 'why'),
  setField,
]

const rules: Noun<AlertRule> = {
  name: 'rule',
  plural: 'rules: what was changed of the alerts of a code',
  description: 'Change the severity and the duration of alerts, or switch them off, by their code',
  named: 'by code, CLUSTER/CODE or id',
  filters: [byCluster, byText('code', 'only rules of this code, such as DEVICE_UNMOUNTED'), bySet],
  enabledFrom: 'It takes effect within 30 s.',
  async view(rpc) {
    const forCluster = await readForCluster(rpc)
    return {
      columns: {
        ID: ({ id }) => id,
        CODE: ({ code }) => code,
        CLUSTER: ({ cluster }) => forCluster.shown(cluster),
        ENABLED: ({ enabled }) => enabled,
        SEVERITY: ({ severity }) => severity,
        FOR: ({ for_seconds: seconds }) => (seconds === null ? null : `${seconds} s`),
        COMMENT: ({ comment }) => comment,
      },
      wide: { SET: ({ set }) => set },
      name: ({ code }) => code,
      document: ({ id: _id, resource_uri: _uri, cluster, ...rule }) => ({
        kind: 'alert_rule',
        cluster: forCluster.written(cluster),
        ...rule,
      }),
    }
  },
  list: (rpc, query) => rpc.alertRules.list.query(byNames(query)),
  find: findRule,
  add: {
    fields: [forClusterField, ...changeable],
    run: (rpc, code, values) => rpc.alertRules.create.mutate({ code, ...values }),
  },
  change: {
    fields: changeable,
    run: (rpc, { id }, change) => rpc.alertRules.change.mutate({ id, change }),
  },
  remove: {
    loss: ({ code }) => `Alerts of ${code} are again as the check says.`,
    run: (rpc, { id }) => rpc.alertRules.remove.mutate({ id }),
  },
}

async function findRule(rpc: Rpc, text: string): Promise<AlertRule> {
  const [, cluster, code = text] = /^([^/]+)\/(.+)$/.exec(text) ?? []
  const filters = { code, ...(cluster !== undefined && { cluster__name: cluster }) }
  const { objects } = await rpc.alertRules.list.query({ filters })
  const byId = await recordsById(rpc.alertRules, text)
  return pick('rule', code, [...objects, ...byId], (rule) => rule.code)
}

/** Adds the commands for rules below those for alerts. */
export function addRules(alert: Command, config: () => Config, terminal: Terminal): void {
  addNoun(alert, config, terminal, rules)
}
