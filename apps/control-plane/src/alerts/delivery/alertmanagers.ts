import { errorText, inParallel } from '@roost/runtime'
import type { AlertmanagerStore, StateReceiver } from './alertmanager-store.js'
import type { Deliver } from './deliver.js'

/** Alertmanager forgets an alert that is not repeated. */
const repeatMs = 60_000
/** As long as Prometheus: the end of an alert reaches an instance that was restarted. */
const resolvedMs = 900_000
const receiversAtOnce = 4

export interface AlertmanagersOptions {
  readonly store: AlertmanagerStore
  readonly deliver: Pick<Deliver, 'state'>
  readonly counted: (result: 'delivered' | 'failed') => void
  /** Unix milliseconds. */
  readonly now: () => number
}

export interface Alertmanagers {
  /** Sends the state of all alerts to each Alertmanager, if it has changed, and each minute. */
  run(): Promise<void>
}

interface Sent {
  readonly atMs: number
  readonly state: string
}

/** Nothing is queued for Alertmanagers: each gets the complete state again, whatever it missed. */
export function createAlertmanagers({ store, deliver, counted, now }: AlertmanagersOptions): Alertmanagers {
  const sent = new Map<number, Sent>()
  const inform = async (receiver: StateReceiver) => {
    const nowMs = now()
    const alerts = await store.listAlerts(receiver, new Date(nowMs - resolvedMs))
    const state = JSON.stringify(alerts.map(({ uri, severity, resolvedAt }) => [uri, severity, resolvedAt !== null]))
    const last = sent.get(receiver.id)
    const isDue = last === undefined || last.state !== state || nowMs - last.atMs >= repeatMs || nowMs < last.atMs
    if (alerts.length === 0 || !isDue) return
    sent.set(receiver.id, { atMs: nowMs, state })
    try {
      await deliver.state(receiver, alerts)
      counted('delivered')
      await store.sent(receiver.id, new Date(nowMs))
    } catch (error) {
      counted('failed')
      await store.failed(receiver.id, errorText(error), new Date(nowMs))
    }
  }
  return {
    async run() {
      const faults = await inParallel(await store.listReceivers(), receiversAtOnce, inform)
      if (faults[0] !== undefined) throw faults[0].error
    },
  }
}
