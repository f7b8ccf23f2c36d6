import type { AlertReceiverSettings } from '@roost/api-types/rest'
import type { Secrets } from '../../secrets/secrets.js'
import type { Envelope, Message } from './send/message.js'
import type { SealedReceiver } from './message-store.js'
import type { Reach } from './send/reach.js'
import { sendToAlertmanager } from './send/alertmanager.js'
import type { PostedAlert } from './send/alertmanager.js'
import { sendByEmail } from './send/email.js'
import { sendToWebhook } from './send/webhook.js'
import { openSettings } from './settings.js'

export interface DeliverOptions {
  readonly secrets: Secrets
  readonly reach: Reach
  /** The URL of this control plane. */
  readonly publicUrl: () => string
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Sends to receivers. Each throws why it was not delivered. */
export interface Deliver {
  /** `path` names the message below this control plane. */
  message(receiver: SealedReceiver, message: Message, path: string): Promise<void>
  state(receiver: SealedReceiver, alerts: readonly PostedAlert[]): Promise<void>
  test(receiver: SealedReceiver): Promise<void>
}

export function createDeliver({ secrets, reach, publicUrl, now }: DeliverOptions): Deliver {
  const post = (settings: AlertReceiverSettings, envelope: Envelope) => {
    const { message, externalUrl } = envelope
    if (settings.kind === 'webhook') return sendToWebhook(settings, envelope, reach)
    if (settings.kind === 'email') return sendByEmail(settings, envelope, reach)
    const alerts = message.alerts.map((alert) => ({ ...alert, code: message.code, cluster: message.cluster }))
    return sendToAlertmanager(settings, { alerts, externalUrl, nowMs: now() }, reach)
  }
  const send: Deliver['message'] = ({ name, settings }, message, path) => {
    const externalUrl = publicUrl()
    return post(openSettings(settings, name, secrets), {
      message,
      receiver: name,
      externalUrl,
      key: `${externalUrl}${path}`,
    })
  }
  return {
    message: send,
    async state({ name, settings: sealed }, alerts) {
      const settings = openSettings(sealed, name, secrets)
      if (settings.kind !== 'alertmanager') throw new Error(`${name} is no Alertmanager.`)
      await sendToAlertmanager(settings, { alerts, externalUrl: publicUrl(), nowMs: now() }, reach)
    },
    test: (receiver) =>
      send(receiver, testMessage(receiver.id, now()), `/api/v1/alert_receivers/${receiver.id}/${now()}`),
  }
}

function testMessage(receiverId: number, nowMs: number): Message {
  const at = new Date(nowMs).toISOString()
  const alert = {
    fingerprint: '0000000000000000',
    severity: 'warning',
    node: '',
    subject: 'test',
    summary: 'This is a test of Roost. Nothing is wrong.',
    remedy: '',
    uri: `/api/v1/alert_receivers/${receiverId}/`,
    firedAt: at,
    resolvedAt: null,
  }
  return { code: 'TEST', cluster: 'test', alerts: [alert], omitted: 0, firing: 1, resolved: 0 }
}
