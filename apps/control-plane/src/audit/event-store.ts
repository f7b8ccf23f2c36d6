import { auditEventRules, resourceUri } from '@roost/api-types/rest'
import type { AuditEvent } from '@roost/api-types/rest'
import type { Prisma } from '@roost/database'
import { countRows } from '../database/count-rows.js'
import type { Database } from '../database/database.js'
import { conditions, ordering } from '../database/listing.js'
import type { FilterTable, OrderTable } from '../database/listing.js'
import type { ReadStore } from '../services/reads.js'

type Row = Prisma.AuditEventGetPayload<object>

const filters: FilterTable<typeof auditEventRules, Prisma.AuditEventWhereInput> = {
  id: (ids) => ({ id: { in: ids } }),
  operator: (names) => ({ operator: { in: names } }),
  key_id: (ids) => ({ keyId: { in: ids } }),
  action: (actions) => ({ action: { in: actions } }),
  resource: (names) => ({ resource: { in: names } }),
  resource_id: (ids) => ({ resourceId: { in: ids } }),
  request_id: (ids) => ({ requestId: { in: ids } }),
  // Of several times one must hold, as of every filter.
  at__gte: (times) => ({ OR: times.map((gte) => ({ at: { gte } })) }),
  at__lt: (times) => ({ OR: times.map((lt) => ({ at: { lt } })) }),
}

const orders: OrderTable<typeof auditEventRules, Prisma.AuditEventOrderByWithRelationInput> = {
  id: (id) => ({ id }),
  at: (at) => ({ at }),
}

export function createAuditEventStore(database: Database): ReadStore<AuditEvent> {
  const { prisma } = database
  return {
    async list(query) {
      const where = { AND: conditions(auditEventRules, filters, query.filters) }
      const orderBy = ordering(auditEventRules, orders, query.order)
      const [rows, total] = await Promise.all([
        prisma.auditEvent.findMany({ where, orderBy, skip: query.offset, take: query.limit }),
        countRows(database, 'audit_events', where.AND, () => prisma.auditEvent.count({ where })),
      ])
      return { objects: rows.map(recordOf), total }
    },
    async find(id) {
      const row = await prisma.auditEvent.findUnique({ where: { id } })
      return row === null ? undefined : recordOf(row)
    },
    async findMany(ids) {
      return (await prisma.auditEvent.findMany({ where: { id: { in: [...ids] } } })).map(recordOf)
    },
  }
}

function recordOf({
  id,
  at,
  operator,
  keyId,
  address,
  requestId,
  action,
  resource,
  resourceId,
  changes,
}: Row): AuditEvent {
  return {
    id,
    resource_uri: resourceUri('audit_events', id),
    at: at.toISOString(),
    operator,
    key_id: keyId,
    address,
    request_id: requestId,
    action,
    resource,
    resource_id: resourceId,
    changes: changes as AuditEvent['changes'],
  }
}
