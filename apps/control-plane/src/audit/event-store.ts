import type { AuditEvent } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Database } from '../database/database.js'
import { tableStore } from '../database/table-store.js'
import type { ReadStore } from '../services/reads.js'

export function createAuditEventStore(database: Database): ReadStore<AuditEvent> {
  return tableStore(database, resources.auditEvents, { model: 'AuditEvent', columns: { q: 'searched' } })
}
