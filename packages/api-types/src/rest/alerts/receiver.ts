import { z } from 'zod'
import { byId, throughCluster } from '../dialect/rules.js'
import type { ResourceRules } from '../dialect/rules.js'
import { changedSet, SetName, shownSet } from '../../values/record-set.js'
import { blankKey, relationTo, relationUri, ResourceUri } from '../dialect/uri.js'
import { AlertReceiverKind, receiverSettings } from './receiver-settings.js'

const example = {
  id: 3,
  resource_uri: '/api/v1/alert_receivers/3/',
  name: 'on-call',
  kind: 'webhook',
  target: 'https://alerts.example',
  settings_changed_at: '2026-11-20T08:00:00.000Z',
  cluster: null,
  least_severity: 'warning',
  send_resolved: true,
  enabled: true,
  last_delivered_at: '2026-11-22T10:36:32.000Z',
  last_error: '',
  last_error_at: null,
}

const Severity = z.enum(['warning', 'critical'])

/** Where alerts are sent, without its settings, which may be secret in any part. */
export const AlertReceiver = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    name: z.string(),
    kind: AlertReceiverKind,
    target: z.string().meta({ description: 'The servers or recipients: what of the settings is not secret' }),
    settings_changed_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When settings that differ from those of before were set; null: before this was recorded' }),
    cluster: relationUri('clusters')
      .nullable()
      .meta({ description: 'Alerts of this cluster alone; null: of all, and of this control plane' }),
    least_severity: Severity.meta({ description: 'critical: no warnings' }),
    send_resolved: z.boolean().meta({ description: 'Whether it gets the end of an alert, too' }),
    enabled: z.boolean(),
    last_delivered_at: z.iso.datetime().nullable(),
    last_error: z
      .string()
      .meta({ description: 'Why the last attempt failed; empty after a success', [blankKey]: true }),
    last_error_at: z.iso.datetime().nullable(),
    set: shownSet,
  })
  .meta({ id: 'AlertReceiver', examples: [example] })
export type AlertReceiver = z.infer<typeof AlertReceiver>

/** Checked by the service, by the schema of the kind: `receiverSettings`. */
const Settings = z.looseObject({}).meta({
  description: 'Those of the kind, replaced as a unit; never returned',
  anyOf: Object.values(receiverSettings).map((schema) => {
    const { $schema: _, ...document } = z.toJSONSchema(schema, { io: 'input' })
    return document
  }),
})

const fields = {
  name: z
    .string()
    .regex(
      /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9._-])?$/,
      'Use 1 to 64 letters, digits, dots, blanks, underscores or dashes, and begin with a letter or a digit.',
    ),
  settings: Settings,
  least_severity: Severity,
  send_resolved: z.boolean(),
  enabled: z.boolean(),
}

export const AlertReceiverInput = z
  .object({
    ...fields,
    kind: AlertReceiverKind,
    cluster: relationTo('clusters').nullable().default(null),
    least_severity: Severity.default('warning'),
    send_resolved: z.boolean().default(true),
    enabled: z.boolean().default(true),
    set: SetName.optional(),
  })
  .meta({
    examples: [{ name: 'on-call', kind: 'webhook', settings: { url: 'https://alerts.example/hooks/4f1c' } }],
  })
export type AlertReceiverInput = z.infer<typeof AlertReceiverInput>

/** A receiver keeps its kind and its cluster. */
export const AlertReceiverChange = z
  .object({ ...fields, set: changedSet })
  .partial()
  .meta({ examples: [{ least_severity: 'critical' }] })
export type AlertReceiverChange = z.infer<typeof AlertReceiverChange>

/** How an alert that is only a test was accepted. */
export const AlertReceiverTest = z
  .object({ delivered: z.boolean(), error: z.string().meta({ description: 'Empty when it was delivered' }) })
  .meta({ id: 'AlertReceiverTest', examples: [{ delivered: true, error: '' }] })
export type AlertReceiverTest = z.infer<typeof AlertReceiverTest>

export const alertReceiverRules = {
  filters: { ...byId, ...throughCluster, name: 'text', kind: 'text', enabled: 'boolean', set: 'text' },
  ordering: ['id', 'name', 'kind', 'enabled', 'last_delivered_at', 'last_error_at'],
  // New settings move the record's revision.
  observed: ['settings', 'settings_changed_at', 'last_delivered_at', 'last_error', 'last_error_at'],
} as const satisfies ResourceRules
