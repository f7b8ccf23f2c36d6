import type { Caller } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Database } from '../db.js'

/** A running transaction, as services pass it on to the stores that take part in it. */
export type Transaction = Prisma.TransactionClient

/** What a write did. `changes`: field to `[before, after]`, secrets masked. */
export interface AuditRecord {
  /** `create`, `change`, `remove`, or a verb of the resource's own. */
  readonly action: string
  readonly resource: string
  /** Null when the write was about several records. */
  readonly resourceId: number | null
  readonly changes: Readonly<Record<string, unknown>>
}

export interface AuditStore {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  insert(tx: Transaction, caller: Caller, record: AuditRecord): Promise<void>
}

export function createAuditStore({ prisma }: Database): AuditStore {
  return {
    transaction: (work) => prisma.$transaction(work, { maxWait: 5_000, timeout: 15_000 }),
    // The lock comes before the id: events then become visible in the order of their ids, and who follows the list's pages
    // misses none. The event is the last that a transaction writes, so that it is held for the commit alone.
    async insert(tx, { operator, keyId, address, requestId }, { action, resource, resourceId, changes }) {
      await tx.$executeRaw`
        with held as materialized (select pg_advisory_xact_lock(hashtext('roost.inserts'), hashtext('audit_events')))
        insert into audit_events (operator, key_id, address, request_id, action, resource, resource_id, changes)
        select ${operator}, ${keyId}::int, ${address}, ${requestId}, ${action}, ${resource}, ${resourceId}::int,
               ${JSON.stringify(changes)}::jsonb
          from held`
    },
  }
}
