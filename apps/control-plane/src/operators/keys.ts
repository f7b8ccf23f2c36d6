import { RoostError } from '@roost/api-types/rest'
import type { ApiKey, AuditAction, CreatedApiKey } from '@roost/api-types/rest'
import type { ApiKeyService } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import type { Transaction } from '../database/transaction.js'
import { found } from '../services/errors.js'
import { fieldError } from '../services/field-errors.js'
import { createReads } from '../services/reads.js'
import { digestOfKey, newApiKey } from './api-key.js'
import type { KeyStore, NewKey } from './key-store.js'

export interface KeyServiceOptions {
  readonly store: KeyStore
  readonly writes: Writes
  /** Called after each write that may have ended somebody's access. */
  readonly accessChanged: () => void
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Keys are made, replaced and revoked; they go with their operator alone, so that the list tells whose a key was. */
export function createKeyService({ store, writes, accessChanged, now }: KeyServiceOptions): ApiKeyService {
  const make = async (
    tx: Transaction,
    name: string,
    key: Pick<NewKey, 'operatorId' | 'label'>,
    ttlSeconds: number | undefined,
  ): Promise<CreatedApiKey> => {
    const secret = newApiKey()
    const createdAt = new Date(now())
    const expiresAt = ttlSeconds === undefined ? null : after(createdAt, ttlSeconds)
    const made = await store.insert(tx, { ...key, digest: digestOfKey(secret), createdAt, expiresAt })
    return { ...made, credentials: `${name}:${secret}` }
  }
  return {
    ...createReads(store),
    create: ({ operator: operatorId, label, ttl_seconds: ttlSeconds }, caller) =>
      writes.run(caller, async (tx) => {
        const name = await store.operatorName(tx, operatorId)
        if (name === undefined) throw fieldError({ operator: [`There is no operator ${operatorId}.`] })
        const result = await make(tx, name, { operatorId, label }, ttlSeconds)
        return { result, audit: auditOf('create', result, {}, result) }
      }),
    async rotate(id, { overlap_seconds: overlapSeconds, ttl_seconds: ttlSeconds }, caller) {
      const rotated = await writes.run(caller, async (tx) => {
        const old = found(await store.findForUpdate(tx, id))
        if (old.state !== 'active')
          throw new RoostError('conflict', `Key ${id} is ${old.state} already: create a new one instead.`)
        const key = { operatorId: old.operator, label: old.label }
        const result = await make(tx, old.operator_name, key, ttlSeconds ?? lifetimeOf(old))
        const end = earlier(old.expires, after(new Date(now()), overlapSeconds))
        const before = await store.update(tx, id, { expiresAt: end })
        const changes = { replaces: [null, id], replaced_expires: [old.expires, before.expires] }
        const audit = auditOf('rotate', result, {}, result)
        return { result, audit: { ...audit, changes: { ...audit.changes, ...changes } } }
      })
      accessChanged()
      return rotated
    },
    async revoke(id, caller) {
      const revoked = await writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, id))
        const result = before.revoked === null ? await store.update(tx, id, { revokedAt: new Date(now()) }) : before
        return { result, audit: auditOf('revoke', result, before, result) }
      })
      accessChanged()
      return revoked
    },
  }
}

function auditOf(action: AuditAction, { id: resourceId }: ApiKey, before: object, after: object) {
  return { action, resource: 'api_keys', resourceId, changes: differences(shown(before), shown(after)) }
}

/** Without the key itself, and what moves by itself. */
function shown(key: object): object {
  return { ...key, credentials: undefined, state: undefined, last_used: undefined }
}

function after(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000)
}

function earlier(expires: string | null, end: Date): Date {
  return expires !== null && new Date(expires) < end ? new Date(expires) : end
}

/** Seconds from the making of a key to its end; undefined for one that has none. */
function lifetimeOf({ created, expires }: ApiKey): number | undefined {
  return expires === null ? undefined : Math.max(1, Math.round((Date.parse(expires) - Date.parse(created)) / 1000))
}
