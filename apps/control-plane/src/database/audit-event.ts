import type { AuditAction } from '@roost/api-types/rest'
import { advisoryLockSpaces } from '@roost/database'
import type { Prisma } from '@roost/database'

/** A row of the audit. `changes`: field to `[before, after]`, secrets masked. */
export interface NewAuditEvent {
  /** An operator's name, or the agent or token that acted. */
  readonly operator: string
  readonly keyId: number | null
  /** Empty where the peer's address is not known. */
  readonly address: string
  /** Empty for what was no HTTP request. */
  readonly requestId: string
  readonly action: AuditAction
  readonly resource: string
  readonly resourceId: number | null
  readonly changes: Readonly<Record<string, unknown>>
}

/**
 * The only way to write an audit event. The lock is taken before the id: events become visible in the order of their ids, and
 * a client that reads the list by id misses none. It is held until the commit, so make this the last statement of a
 * transaction.
 */
export async function insertAuditEvent(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  { operator, keyId, address, requestId, action, resource, resourceId, changes }: NewAuditEvent,
): Promise<void> {
  await tx.$executeRaw`
    with held as materialized (select pg_advisory_xact_lock(${advisoryLockSpaces.inserts}::int, hashtext('audit_events')))
    insert into audit_events (operator, key_id, address, request_id, action, resource, resource_id, changes)
    select ${operator}, ${keyId}::int, ${address}, ${requestId}, ${action}, ${resource}, ${resourceId}::int,
           ${JSON.stringify(changes)}::jsonb
      from held`
}
