import { AuditEvent, auditEventRules } from '@roost/api-types/rest'
import type { Reads } from '@roost/api-types/rpc'
import type { Resource } from '../http/dialect/resource.js'

export function auditEventsResource(events: Reads<AuditEvent>): Resource {
  return {
    name: 'audit_events',
    description: 'who changed what, when and from where',
    record: AuditEvent,
    rules: auditEventRules,
    reads: events,
  }
}
