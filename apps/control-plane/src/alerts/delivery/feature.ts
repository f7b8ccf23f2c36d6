import { resources } from '@roost/api-types/rpc'
import type { AlertReceiverService, HeartbeatService, Services } from '@roost/api-types/rpc'
import type { Config } from '../../config.js'
import type { Database } from '../../database/database.js'
import { tableStore } from '../../database/table-store.js'
import type { Writes } from '../../database/writes.js'
import { every } from '../../jobs/every.js'
import type { Log } from '../../lifecycle/log.js'
import type { Secrets } from '../../secrets/secrets.js'
import { createReads } from '../../services/reads.js'
import { createAlertmanagerStore } from './alertmanager-store.js'
import { createAlertmanagers } from './alertmanagers.js'
import type { Alertmanagers } from './alertmanagers.js'
import { createDeliver } from './deliver.js'
import { createHeartbeat } from './heartbeat.js'
import type { Heartbeat } from './heartbeat.js'
import { createMessageStore } from './message-store.js'
import { createQueueStore } from './queue-store.js'
import { createReach } from './send/reach.js'
import { createReceiverStore } from './receiver-store.js'
import { createReceiverService } from './receivers.js'
import { createSender } from './sender.js'
import type { DeliveryResult, Sender } from './sender.js'

export interface DeliveryOptions {
  readonly database: Database
  readonly writes: Writes
  readonly secrets: Secrets
  readonly config: Pick<Config, 'alertNetworks' | 'heartbeatUrl'>
  readonly publicUrl: () => string
  /** When alerts were evaluated last, in Unix milliseconds. */
  readonly evaluatedMs: () => number
  readonly log: Log
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Counts since the start, for `/metrics`. */
export interface DeliveryMetrics {
  readonly results: Readonly<Record<DeliveryResult, number>>
  readonly waiting: number
}

export interface DeliveryFeature {
  readonly services: {
    readonly alertReceivers: AlertReceiverService
    readonly alertDeliveries: Services['alertDeliveries']
    readonly heartbeat: HeartbeatService
  }
  readonly sender: Pick<Sender, 'run'>
  readonly alertmanagers: Alertmanagers
  readonly heartbeat: Heartbeat
  metrics(): DeliveryMetrics
  stop(): Promise<void>
}

const sendMs = 5_000
const heartbeatMs = 60_000

/** Sends alerts to receivers, and calls the dead man's switch. */
export function createDelivery(options: DeliveryOptions): DeliveryFeature {
  const { database, config, evaluatedMs, log, now } = options
  const results = { delivered: 0, failed: 0, given_up: 0, canceled: 0 }
  const counted = (result: DeliveryResult) => void (results[result] += 1)
  const deliver = createDeliver({ ...options, reach: createReach(config.alertNetworks) })
  const sender = createSender({
    store: createQueueStore(database),
    messages: createMessageStore(database),
    deliver,
    counted,
    now,
  })
  const alertmanagers = createAlertmanagers({ store: createAlertmanagerStore(database), deliver, counted, now })
  const heartbeat = createHeartbeat({ url: config.heartbeatUrl, evaluatedMs, log, now })
  const store = createReceiverStore(database)
  const jobs = [
    every(sendMs, 'send alerts', () => sender.run(), log),
    every(sendMs, 'send alerts to Alertmanagers', () => alertmanagers.run(), log),
    every(heartbeatMs, 'call the heartbeat', () => heartbeat.run(), log),
  ]
  return {
    services: {
      alertReceivers: createReceiverService({ ...options, store, deliver }),
      alertDeliveries: createReads(tableStore(database, resources.alertDeliveries, { model: 'AlertDelivery' })),
      heartbeat,
    },
    sender,
    alertmanagers,
    heartbeat,
    metrics: () => ({ results, waiting: sender.waiting }),
    async stop() {
      await Promise.all([sender.stop(), ...jobs.map((job) => job.stop())])
    },
  }
}
