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
  /** Of the record, where the changes need not have it. */
  readonly name?: string | null
}

/** The field that names a record, where it is not `name`. */
const nameFields: Readonly<Record<string, string>> = { nodes: 'hostname', users: 'user', agent_upgrades: 'version' }
/** A longer one would not fit into the index. */
const maxNameLength = 256

/** Returns the name of a record; null where it has none. */
export function nameOf(resource: string, record: object): string | null {
  const name = (record as Readonly<Record<string, unknown>>)[nameFields[resource] ?? 'name']
  return typeof name === 'string' ? name.slice(0, maxNameLength) : null
}

/** Returns the name that a record got or had; null where the changes do not have it. */
function nameIn(resource: string, changes: NewAuditEvent['changes']): string | null {
  const change = changes[nameFields[resource] ?? 'name']
  const [before, after] = Array.isArray(change) ? (change as readonly unknown[]) : [null, change]
  const name = [after, before].find((value): value is string => typeof value === 'string')
  return name?.slice(0, maxNameLength) ?? null
}

/**
 * The only way to write an audit event. The lock is taken before the id: events become visible in the order of their ids, and
 * a client that reads the list by id misses none. It is held until the commit, so make this the last statement of a
 * transaction. A change of other fields has the name that the event before it had.
 */
export async function insertAuditEvent(
  tx: Pick<Prisma.TransactionClient, '$executeRaw'>,
  { operator, keyId, address, requestId, action, resource, resourceId, changes, name }: NewAuditEvent,
): Promise<void> {
  await tx.$executeRaw`
    with held as materialized (select pg_advisory_xact_lock(${advisoryLockSpaces.inserts}::int, hashtext('audit_events'))),
    named as (
      select coalesce(${name ?? nameIn(resource, changes)}::text, (
        select name from audit_events where resource = ${resource} and resource_id = ${resourceId}::int order by id desc limit 1
      )) as name from held)
    insert into audit_events (operator, key_id, address, request_id, action, resource, resource_id, changes, name, searched)
    select ${operator}, ${keyId}::int, ${address}, ${requestId}, ${action}, ${resource}, ${resourceId}::int,
           ${JSON.stringify(changes)}::jsonb, name, concat_ws(' ', ${operator}::text, ${action}::text, ${resource}::text, name)
      from named`
}
