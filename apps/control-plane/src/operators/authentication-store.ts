import { insertAuditEvent } from '../database/audit-event.js'
import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'

/** A key or session with its operator, as authentication weighs it. Times of a session are also those of its key. */
export interface StoredKey {
  readonly keyId: number
  readonly kind: string
  readonly digest: Uint8Array
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  readonly operatorId: number
  readonly operator: string
  readonly role: string
  readonly enabled: boolean
}

export interface AuthenticationStore {
  findKey(digest: Uint8Array): Promise<StoredKey | undefined>
  /** Those of the keys that let their operator in at this time. */
  findGood(keyIds: readonly number[], at: Date): Promise<readonly number[]>
  touchKey(keyId: number, at: Date): Promise<void>
}

/** Time without a request after which a session ends. */
export const sessionIdleMs = 8 * 3_600_000

// A session ends with the key that opened it, and when it is not used.
const expiry = `least(k.expires_at, p.expires_at, case when k.kind = 'session'
  then coalesce(k.last_used_at, k.created_at) + ${sessionIdleMs} * interval '1 millisecond' end)`
const revocation = 'coalesce(k.revoked_at, p.revoked_at)'
const source = 'api_keys k join operators o on o.id = k.operator_id left join api_keys p on p.id = k.parent_id'

export function createAuthenticationStore(database: Database): AuthenticationStore {
  return {
    // One query, found or not, so that both take the same time.
    async findKey(digest) {
      const [row] = await queryRows<StoredKey>(
        database,
        `select k.id as "keyId", k.kind, k.digest, ${expiry} as "expiresAt", ${revocation} as "revokedAt",
                o.id as "operatorId", o.name as operator, o.role, o.enabled
           from ${source}
          where k.digest = $1`,
        [digest],
      )
      return row
    },
    async findGood(keyIds, at) {
      const rows = await queryRows<{ id: number }>(
        database,
        `select k.id from ${source}
          where k.id = any($1::int[]) and o.enabled and ${revocation} is null and coalesce(${expiry} > $2, true)`,
        [keyIds, at],
      )
      return rows.map(({ id }) => id)
    },
    async touchKey(keyId, at) {
      await database.prisma.apiKey.updateMany({ where: { id: keyId }, data: { lastUsedAt: at } })
    },
  }
}

/** Returns a function that writes the audit event of an address with its number of failed logins. */
export function recordFailedLogins({ prisma }: Database) {
  return (address: string, failures: number): Promise<void> =>
    insertAuditEvent(prisma, {
      // No credentials were verified: the name that was sent could be anybody's.
      operator: '',
      keyId: null,
      address,
      requestId: '',
      action: 'refuse',
      resource: 'operators',
      resourceId: null,
      changes: { failed_logins: [null, failures] },
    })
}
