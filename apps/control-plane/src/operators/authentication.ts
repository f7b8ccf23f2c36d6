import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '@roost/api-types/rpc'
import { digestOfKey } from './api-key.js'
import type { AuthenticationStore, StoredKey } from './authentication-store.js'

export type AuthenticatedOperator = Pick<Caller, 'operatorId' | 'operator' | 'role' | 'keyId'>

export interface Authentication {
  /** Who has this name and key; undefined for every cause of failure alike. */
  authenticate(user: string, key: string): Promise<AuthenticatedOperator | undefined>
  /** Those of the keys that no longer let anybody in. */
  refused(keyIds: readonly number[]): Promise<readonly number[]>
  /** Forgets what is remembered of good credentials, after a write that may have ended some. */
  forget(): void
}

export interface AuthenticationCollaborators {
  readonly store: AuthenticationStore
  readonly log: { warn(details: object, message: string): void }
  /** Unix milliseconds. */
  readonly now: () => number
}

/** How long good credentials are remembered: a revoked key ends within this, on every replica. */
const rememberedMs = 2_000
const maxRemembered = 1_000
const touchEveryMs = 60_000

// What is compared when there is no such key; no key has this digest.
const nobody: StoredKey = {
  keyId: 0,
  digest: new Uint8Array(32),
  expiresAt: null,
  revokedAt: null,
  operatorId: 0,
  operator: '',
  role: 'read_only',
  enabled: false,
}

export function createAuthentication({ store, log, now }: AuthenticationCollaborators): Authentication {
  // Only what succeeded as a whole is remembered, so that every failure goes all the way.
  const remembered = new Map<string, { readonly operator: AuthenticatedOperator; readonly until: number }>()
  const touched = new Map<number, number>()

  async function look(user: string, key: string): Promise<AuthenticatedOperator | undefined> {
    const digest = digestOfKey(key)
    const stored = (await store.findKey(digest)) ?? nobody
    if (!isGood(stored, user, digest, now())) return undefined
    const { keyId, operatorId, operator, role } = stored
    return { keyId, operatorId, operator, role: role === 'admin' ? 'admin' : 'read_only' }
  }

  function touch(keyId: number): void {
    if (now() - (touched.get(keyId) ?? Number.NEGATIVE_INFINITY) < touchEveryMs) return
    touched.set(keyId, now())
    store.touchKey(keyId, new Date(now())).catch((error: unknown) => {
      log.warn({ err: error }, "the time of a key's last use was not stored")
    })
  }

  return {
    async authenticate(user, key) {
      const name = sha256(`${user}:${key}`).toString('base64')
      const known = remembered.get(name)
      if (known !== undefined && now() < known.until) return known.operator
      remembered.delete(name)
      const operator = await look(user, key)
      if (operator?.keyId == null) return undefined
      touch(operator.keyId)
      remembered.set(name, { operator, until: now() + rememberedMs })
      const [oldest] = remembered.keys()
      if (remembered.size > maxRemembered && oldest !== undefined) remembered.delete(oldest)
      return operator
    },
    async refused(keyIds) {
      if (keyIds.length === 0) return []
      const good = new Set(await store.findGood(keyIds, new Date(now())))
      return keyIds.filter((id) => !good.has(id))
    },
    forget: () => remembered.clear(),
  }
}

/** Weighs everything, whatever failed before, so that the time tells nothing. */
function isGood(stored: StoredKey, user: string, digest: Uint8Array, nowMs: number): boolean {
  const checks = [
    timingSafeEqual(stored.digest, digest),
    timingSafeEqual(sha256(stored.operator), sha256(user)),
    stored.enabled,
    stored.revokedAt === null,
    stored.expiresAt === null || stored.expiresAt.getTime() > nowMs,
  ]
  return checks.every(Boolean)
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}
