import { byNames } from '@roost/api-types'
import type { AlertReceiver, AlertReceiverInput } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findNamed, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { byCluster, bySet, byText, flagField, setField, textField } from '../records/fields.js'
import { addNoun } from '../records/noun.js'
import type { FieldOption, Noun } from '../records/noun.js'
import { moment } from '../terminal/cells.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { readSettings } from '../terminal/settings-file.js'
import type { Terminal } from '../terminal/terminal.js'
import { readForCluster, forClusterField } from './for-cluster.js'

/** Settings contain secrets, and every account of the machine can read command lines. */
const settingsField: FieldOption = {
  flags: '--settings-file <path>',
  description: 'YAML or JSON file with the settings of the kind, such as "url: https://…", or - for standard input',
  field: 'settings',
  value: (_rpc, path) => readSettings(path),
}

const changeable = [
  textField('least_severity', 'warning or critical: what it gets'),
  flagField('send_resolved', 'whether it gets the end of alerts'),
  flagField('enabled', 'whether alerts are sent to it'),
  setField,
]

const receivers: Noun<AlertReceiver> = {
  name: 'receiver',
  plural: 'receivers of alerts',
  description: 'Manage webhooks, mail addresses and Alertmanagers that alerts are sent to',
  named: 'by name or id',
  filters: [byCluster, byText('kind', 'only receivers of this kind: webhook, email or alertmanager'), bySet],
  enabledFrom: 'It takes effect within seconds.',
  async view(rpc) {
    const forCluster = await readForCluster(rpc)
    return {
      columns: {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        KIND: ({ kind }) => kind,
        TARGET: ({ target }) => target,
        LEAST: ({ least_severity: severity }) => severity,
        ENABLED: ({ enabled }) => enabled,
        DELIVERED: ({ last_delivered_at: at }) => moment(at),
        ERROR: ({ last_error: error }) => error,
      },
      wide: {
        CLUSTER: ({ cluster }) => forCluster.shown(cluster),
        RESOLVED: ({ send_resolved: isSent }) => isSent,
        'FAILED AT': ({ last_error_at: at }) => moment(at),
        'SETTINGS OF': ({ settings_changed_at: at }) => moment(at),
        SET: ({ set }) => set,
      },
      name: ({ name }) => name,
      // Without its settings, which are secret: `roost apply` reads them from a file.
      document: ({ name, kind, cluster, least_severity, send_resolved, enabled, set }) => ({
        kind: 'alert_receiver',
        name,
        type: kind,
        cluster: forCluster.written(cluster),
        least_severity,
        send_resolved,
        enabled,
        set,
      }),
    }
  },
  list: (rpc, query) => rpc.alertReceivers.list.query(byNames(query)),
  find: findReceiver,
  add: {
    fields: [
      { ...textField('kind', 'webhook, email or alertmanager'), isRequired: true },
      { ...settingsField, isRequired: true },
      forClusterField,
      ...changeable,
    ],
    run: (rpc, name, values) => rpc.alertReceivers.create.mutate({ name, ...values } as AlertReceiverInput),
  },
  change: {
    fields: [textField('name', 'another name'), settingsField, ...changeable],
    run: (rpc, { id }, change) => rpc.alertReceivers.change.mutate({ id, change }),
  },
  remove: {
    loss: ({ name }) => `No alerts are sent to ${name} any more, and what waits for it is dropped.`,
    run: (rpc, { id }) => rpc.alertReceivers.remove.mutate({ id }),
  },
}

function findReceiver(rpc: Rpc, text: string): Promise<AlertReceiver> {
  return findNamed('receiver', rpc.alertReceivers, 'name', text)
}

/** Adds the commands for receivers below those for alerts. */
export function addReceivers(alert: Command, config: () => Config, terminal: Terminal): void {
  addNoun(alert, config, terminal, receivers)
    .command('test <receiver>')
    .description('Send an alert that is only a test, now and once')
    .action((text: string) =>
      withApi(config(), async (rpc) => {
        const { id, name } = await findReceiver(rpc, text)
        const { delivered, error } = await rpc.alertReceivers.test.mutate({ id })
        if (!delivered) throw new CommandError(`${name} did not accept the test: ${error}`, exitCodes.error)
        terminal.out.write(`${name} accepted the test\n`)
      }),
    )
}
