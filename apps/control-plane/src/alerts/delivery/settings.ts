import { receiverSettings } from '@roost/api-types/rest'
import type {
  AlertmanagerSettings,
  AlertReceiverKind,
  AlertReceiverSettings,
  EmailSettings,
  WebhookSettings,
} from '@roost/api-types/rest'
import { z } from 'zod'
import { parseFields } from '../../services/field-errors.js'
import type { Secrets } from '../../secrets/secrets.js'

const targets = {
  // The path of a webhook is often its password.
  webhook: ({ url }: WebhookSettings) => new URL(url).origin,
  email: ({ to, host, port }: EmailSettings) => `${to.join(', ')} by ${host}:${port}`,
  alertmanager: ({ urls }: AlertmanagerSettings) => urls.map((url) => new URL(url).origin).join(', '),
}

/** Parses settings of a request. Throws the faults of the field `settings`. */
export function parseSettings(kind: AlertReceiverKind, settings: unknown): AlertReceiverSettings {
  const parsed = parseFields(z.object({ settings: receiverSettings[kind] }), { settings })
  return { kind, ...parsed.settings } as AlertReceiverSettings
}

/** Returns the columns of settings. */
export function sealSettings(settings: AlertReceiverSettings, secrets: Secrets) {
  return { target: targetOf(settings), settings: secrets.seal('alert-settings', JSON.stringify(settings)) }
}

/** Throws SecretError if they cannot be decrypted. */
export function openSettings(sealed: Uint8Array, name: string, secrets: Secrets): AlertReceiverSettings {
  return JSON.parse(secrets.open('alert-settings', sealed, `'${name}'`)) as AlertReceiverSettings
}

function targetOf(settings: AlertReceiverSettings): string {
  if (settings.kind === 'webhook') return targets.webhook(settings)
  return settings.kind === 'email' ? targets.email(settings) : targets.alertmanager(settings)
}
