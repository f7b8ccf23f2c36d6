import type { AuditAction } from '@roost/api-types/rest'
import type { Caller } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Database } from './database.js'
import { insertAuditEvent } from './audit-event.js'

/** A running transaction, as services pass it on to the stores that take part in it. */
export type Transaction = Prisma.TransactionClient

/** What a write did. `changes`: field to `[before, after]`, secrets masked. */
export interface AuditRecord {
  readonly action: AuditAction
  readonly resource: string
  /** Null if the change was to several records. */
  readonly resourceId: number | null
  readonly changes: Readonly<Record<string, unknown>>
  /** Of the record, where the changes need not have it. */
  readonly name?: string | null
}

export interface AuditStore {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  insert(tx: Transaction, caller: Caller, record: AuditRecord): Promise<void>
}

export function createAuditStore({ prisma }: Database): AuditStore {
  return {
    transaction: (work) => prisma.$transaction(work),
    insert: (tx, { operator, keyId, address, requestId }, record) =>
      insertAuditEvent(tx, { operator, keyId, address, requestId, ...record }),
  }
}
