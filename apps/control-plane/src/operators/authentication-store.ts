import { insertAuditEvent } from '../database/audit-event.js'
import type { Database } from '../database/database.js'

/** A key with its operator, as authentication weighs it. */
export interface StoredKey {
  readonly keyId: number
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

export function createAuthenticationStore({ prisma }: Database): AuthenticationStore {
  return {
    // One query, found or not, so that both take the same time.
    async findKey(digest) {
      const rows = await prisma.$queryRaw<StoredKey[]>`
        select k.id as "keyId", k.digest, k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
               o.id as "operatorId", o.name as operator, o.role, o.enabled
          from api_keys k join operators o on o.id = k.operator_id
         where k.digest = ${digest}`
      return rows[0]
    },
    async findGood(keyIds, at) {
      const rows = await prisma.apiKey.findMany({
        where: {
          id: { in: [...keyIds] },
          operator: { enabled: true },
          revokedAt: null,
          OR: [{ expiresAt: null }, { expiresAt: { gt: at } }],
        },
        select: { id: true },
      })
      return rows.map(({ id }) => id)
    },
    async touchKey(keyId, at) {
      await prisma.apiKey.updateMany({ where: { id: keyId }, data: { lastUsedAt: at } })
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
