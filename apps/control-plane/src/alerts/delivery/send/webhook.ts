import type { WebhookSettings } from '@roost/api-types/rest'
import { webhookBody } from './message.js'
import type { Envelope } from './message.js'
import type { Reach } from './reach.js'
import { postJson } from './http-post.js'

/** Posts a message as Alertmanager posts to its webhooks, so that their receivers understand it. */
export async function sendToWebhook(
  { url, authorization, ca }: WebhookSettings,
  envelope: Envelope,
  reach: Reach,
): Promise<void> {
  const headers = { 'idempotency-key': envelope.key }
  await postJson(reach, { url, body: webhookBody(envelope), headers, authorization, ca })
}
