import { z } from 'zod'
import { byId, timeRange } from './dialect/rules.js'
import type { ResourceRules } from './dialect/rules.js'
import { blankKey, ResourceUri } from './dialect/uri.js'

/** Everything that an audit event can tell: the verbs of the API, and what agents and tokens did. */
export const AuditAction = z
  .enum([
    'create',
    'change',
    'remove',
    'rotate',
    'revoke',
    'cancel',
    'confirm',
    'adopt',
    'reapply',
    'set_storage',
    'unset_storage',
    'set_identity',
    'unset_identity',
    'remove_leftovers',
    'remove_usage',
    'test',
    'enrol',
    'take_place',
    'refuse',
    'duplicate',
    'restored',
    'late_usage',
    'log_in',
    'log_out',
  ])
  .meta({ id: 'AuditAction' })
export type AuditAction = z.infer<typeof AuditAction>

/** What one write did. Names are copies: they outlive what they name. */
export const AuditEvent = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    at: z.iso.datetime(),
    operator: z.string().meta({
      description:
        'Name of the operator, `local` for a command on the host, `agent` with the UUID of a node, or `control plane` for what it completed by itself; empty for failed logins',
      [blankKey]: true,
    }),
    key_id: z.int().nullable().meta({ description: 'Id of the key or session that the operator used' }),
    address: z.string().meta({ description: 'Address of the client', [blankKey]: true }),
    request_id: z.string().meta({ description: 'The X-Request-Id of the answer', [blankKey]: true }),
    action: AuditAction,
    resource: z.string(),
    resource_id: z.int().nullable().meta({ description: 'Null if the change was to several records' }),
    name: z.string().nullable().meta({ description: 'Name of the record at that time; null if it has none' }),
    changes: z
      .record(z.string(), z.unknown())
      .meta({ description: 'By field: [before, after]. For secrets both are ***, which shows only that they changed' }),
  })
  .meta({
    id: 'AuditEvent',
    examples: [
      {
        id: 7,
        resource_uri: '/api/v1/audit_events/7/',
        at: '2026-11-20T20:15:00.000Z',
        operator: 'admin',
        key_id: 1,
        address: '192.0.2.7',
        request_id: '5f0c7a1e-6f3b-4c0f-9f0a-2f1d3b9c7e11',
        action: 'change',
        resource: 'users',
        resource_id: 12,
        name: 'bob',
        changes: { enabled: [true, false] },
      },
    ],
  })
export type AuditEvent = z.infer<typeof AuditEvent>

export const auditEventRules = {
  filters: {
    ...byId,
    operator: 'text',
    key_id: 'integer',
    action: 'text',
    resource: 'text',
    resource_id: 'integer',
    request_id: 'text',
    q: 'part',
    ...timeRange('at'),
  },
  ordering: ['id', 'at'],
  observed: [],
} as const satisfies ResourceRules
