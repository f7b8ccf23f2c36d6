import { byNames } from '@roost/api-types'
import type { Alert } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findById, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { byCluster, byFlag, byNode, byText, clusterNamesByUri } from '../records/fields.js'
import { addNoun } from '../records/noun.js'
import type { Noun } from '../records/noun.js'
import { moment, state } from '../terminal/cells.js'
import { printResult, withResult } from '../terminal/output.js'
import type { ResultOptions } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { addDeliveries } from './deliveries.js'
import { addMetricRules } from './metric-rules.js'
import { addReceivers } from './receivers.js'
import { addRules } from './rules.js'
import { scopeCell } from './scope-cell.js'
import { addSilences } from './silences.js'

const alerts: Noun<Alert> = {
  name: 'alert',
  plural: 'alerts that are not resolved, the most urgent first; others with --state',
  description: 'Show and acknowledge alerts, change and silence them, and manage where they are sent',
  named: 'by id',
  filters: [
    byCluster,
    byNode,
    byText('state', 'only alerts in this state, such as firing or resolved'),
    byText('severity', 'only alerts of this severity: warning or critical'),
    byText('code', 'only alerts of this code, such as DEVICE_UNMOUNTED'),
    byFlag('needs_action', 'only alerts that fire and on which no operator works, or only others'),
    byFlag('of_control_plane', 'only alerts of this control plane itself, or only those of clusters'),
  ],
  view: async (rpc) => {
    const clusters = await clusterNamesByUri(rpc)
    return {
      columns: {
        ID: ({ id }) => id,
        SEVERITY: ({ severity }) => severity,
        STATE: (alert) => state(alert.state),
        CODE: ({ code }) => code,
        CLUSTER: ({ cluster }) => scopeCell(cluster, clusters),
        NODE: ({ hostname }) => hostname,
        SUBJECT: ({ subject }) => subject,
        SINCE: ({ started_at: since }) => moment(since),
        ACK: ({ acknowledged_by: by }) => by,
        'SILENT UNTIL': ({ silenced_until: until }) => moment(until),
      },
      wide: { SUMMARY: ({ summary }) => summary, REMEDY: ({ remedy }) => remedy },
      name: ({ id }) => id,
    }
  },
  list: (rpc, query) => rpc.alerts.list.query(byNames({ order_by: ['rank'], ...query })),
  find: findAlert,
}

function findAlert(rpc: Rpc, text: string): Promise<Alert> {
  return findById('alert', rpc.alerts, text)
}

/** Adds the commands for alerts, and for sending them. */
export function addAlerts(program: Command, config: () => Config, terminal: Terminal): void {
  const alert = addNoun(program, config, terminal, alerts)
  addRules(alert, config, terminal)
  addMetricRules(alert, config, terminal)
  addSilences(alert, config, terminal)
  addReceivers(alert, config, terminal)
  addDeliveries(alert, config, terminal)
  withResult(alert.command('ack <alert>'))
    .description('Acknowledge an alert: others see that somebody works on it')
    .option('--undo', 'acknowledge it no longer')
    .action((text: string, { undo = false, ...options }: ResultOptions & { readonly undo?: boolean }) =>
      withApi(config(), async (rpc) => {
        const { id } = await findAlert(rpc, text)
        const record = await rpc.alerts.change.mutate({ id, change: { acknowledged: !undo } })
        const sentence = `alert ${id} ${undo ? 'acknowledged no longer' : 'acknowledged'}`
        await printResult(terminal, { record, view: await alerts.view(rpc), sentence }, options)
      }),
    )
}
