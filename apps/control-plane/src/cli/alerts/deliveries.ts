import { byNames } from '@roost/api-types'
import type { AlertDelivery } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findById, listAll } from '../client/api.js'
import { byCluster, byText, clusterNamesByUri } from '../records/fields.js'
import { addNoun } from '../records/noun.js'
import type { Noun } from '../records/noun.js'
import { moment, state } from '../terminal/cells.js'
import { scopeCell } from './scope-cell.js'
import type { Terminal } from '../terminal/terminal.js'

const deliveries: Noun<AlertDelivery> = {
  name: 'delivery',
  plural: 'messages about alerts, sent or waiting',
  description: 'Show the messages about alerts to webhooks and mail addresses',
  named: 'by id',
  filters: [
    byCluster,
    byText('state', 'only messages in this state: waiting, sending, delivered, failed or canceled'),
    byText('code', 'only messages about alerts of this code'),
  ],
  async view(rpc) {
    const [clusters, receivers] = await Promise.all([
      clusterNamesByUri(rpc),
      listAll((range) => rpc.alertReceivers.list.query(range)),
    ])
    const names = new Map(receivers.map(({ resource_uri: uri, name }) => [uri, name]))
    return {
      columns: {
        ID: ({ id }) => id,
        RECEIVER: ({ receiver }) => names.get(receiver),
        CLUSTER: ({ cluster }) => scopeCell(cluster, clusters),
        CODE: ({ code }) => code,
        STATE: (delivery) => state(delivery.state),
        ATTEMPTS: ({ attempts }) => attempts,
        CREATED: ({ created_at: at }) => moment(at),
        NEXT: ({ next_at: at }) => moment(at),
        ERROR: ({ error }) => error,
      },
      wide: { ENDED: ({ ended_at: at }) => moment(at) },
      name: ({ id }) => id,
    }
  },
  list: (rpc, query) => rpc.alertDeliveries.list.query(byNames(query)),
  find: (rpc, text) => findById('delivery', rpc.alertDeliveries, text),
}

/** Adds the commands for messages below those for alerts. */
export function addDeliveries(alert: Command, config: () => Config, terminal: Terminal): void {
  addNoun(alert, config, terminal, deliveries)
}
