import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from '@roost/api-types/rpc'
import { LRUCache } from 'lru-cache'
import { isTemporary, logged } from '../services/errors.js'
import { withTimeout } from '@roost/runtime'
import { digestOfKey } from './api-key.js'
import type { AuthenticationStore, StoredKey } from './authentication-store.js'

export type AuthenticatedOperator = Pick<Caller, 'operatorId' | 'operator' | 'role' | 'keyId'>

export interface Authentication {
  /**
   * Returns the operator with this name and key; undefined for every cause of failure alike. With `whileAway`, the last
   * answer of the database counts while it is unavailable. A key counts in a header, a session in a cookie.
   */
  authenticate(
    user: string,
    key: string,
    options?: { readonly whileAway?: boolean; readonly kind?: 'key' | 'session' },
  ): Promise<AuthenticatedOperator | undefined>
  /** Returns the keys that no longer work. */
  refused(keyIds: readonly number[]): Promise<readonly number[]>
  /** Forgets good credentials, after a write that may have ended some. */
  forget(): void
}

export interface AuthenticationOptions {
  readonly store: AuthenticationStore
  readonly log: { warn(details: object, message: string): void }
  /** Unix milliseconds. */
  readonly now: () => number
}

interface Credentials {
  readonly user: string
  readonly key: string
  readonly kind: 'key' | 'session'
}

/** Good credentials. */
interface Seen {
  readonly operator: AuthenticatedOperator
  readonly expiresAt: Date | null
}

interface Remembered extends Seen {
  /** No query is needed until then. */
  readonly until: number
}

/** How long good credentials are cached after the last check began: a revoked key ends within this, on every replica. */
const rememberedMs = 2_000
/** From this age on they are checked again beside the request, so that a frequent caller never waits for the check. */
const renewAheadMs = rememberedMs / 2
/** How long to wait for a silent database where the last answer is good enough. */
const silentMs = 2_000
const maxRemembered = 1_000
const touchEveryMs = 60_000

// Compared when there is no such key; no key has this digest.
const noKey: StoredKey = {
  keyId: 0,
  kind: 'key',
  digest: new Uint8Array(32),
  expiresAt: null,
  revokedAt: null,
  operatorId: 0,
  operator: '',
  role: 'read_only',
  enabled: false,
}

export function createAuthentication({ store, log, now }: AuthenticationOptions): Authentication {
  const memory = createMemory(now)
  const renewing = new Set<string>()
  const touched = new Map<number, number>()

  async function check({ user, key, kind }: Credentials): Promise<Seen | undefined> {
    const digest = digestOfKey(key)
    const stored = (await store.findKey(digest)) ?? noKey
    if (!isGood(stored, { user, kind, digest }, now())) return undefined
    touch(stored.keyId)
    return seenOf(stored)
  }

  function renewAhead(name: string, known: Remembered, credentials: Credentials): void {
    if (renewing.has(name)) return
    renewing.add(name)
    const renew = memory.renewal(name)
    check(credentials)
      // A request may have found something newer meanwhile.
      .then((seen) => memory.get(name) === known && renew(seen))
      // The cached credentials expire, and the next check reports the problem of the database.
      .catch(() => {})
      .finally(() => renewing.delete(name))
  }

  function touch(keyId: number): void {
    if (now() - (touched.get(keyId) ?? Number.NEGATIVE_INFINITY) < touchEveryMs) return
    touched.set(keyId, now())
    store.touchKey(keyId, new Date(now())).catch((error: unknown) => {
      log.warn(logged(error), 'could not store the time of the last use of a key')
    })
  }

  return {
    async authenticate(user, key, { whileAway = false, kind = 'key' } = {}) {
      const name = sha256(`${kind} ${user}:${key}`).toString('base64')
      const credentials = { user, key, kind }
      const known = memory.get(name)
      if (known !== undefined && now() < known.until) {
        if (now() >= known.until - renewAheadMs) renewAhead(name, known, credentials)
        return known.operator
      }
      const renew = memory.renewal(name)
      const seen = await checkOr(whileAway ? known : undefined, check(credentials), now)
      if (seen !== known) renew(seen)
      return seen?.operator
    },
    async refused(keyIds) {
      if (keyIds.length === 0) return []
      const good = new Set(await store.findGood(keyIds, new Date(now())))
      return keyIds.filter((id) => !good.has(id))
    },
    forget: () => memory.forget(),
  }
}

/** Caches good credentials, never a failure: each failure is checked completely. */
function createMemory(now: () => number) {
  const remembered = new LRUCache<string, Remembered>({ max: maxRemembered })
  let forgotten = 0
  return {
    get: (name: string) => remembered.get(name),
    /** Is created before a check and called with its outcome, which is not cached after a write that may have ended the key. */
    renewal(name: string): (seen: Seen | undefined) => void {
      const before = forgotten
      const until = now() + rememberedMs
      return (seen) => {
        remembered.delete(name)
        if (seen === undefined || forgotten !== before) return
        remembered.set(name, { ...seen, until })
      }
    },
    forget() {
      forgotten += 1
      remembered.clear()
    },
  }
}

/** Returns the last answer, where it is good enough, when the database is unavailable or silent. */
async function checkOr(last: Remembered | undefined, checking: Promise<Seen | undefined>, now: () => number) {
  if (last === undefined || isPast(last.expiresAt, now())) return checking
  const orLast = checking.catch((error: unknown) => {
    if (isTemporary(error)) return last
    throw error
  })
  return withTimeout(orLast, silentMs, () => last)
}

function seenOf({ keyId, operatorId, operator, role, expiresAt }: StoredKey): Seen {
  return { operator: { keyId, operatorId, operator, role: role === 'admin' ? 'admin' : 'read_only' }, expiresAt }
}

/** Checks everything, whatever failed before, so that the time reveals nothing. */
function isGood(
  stored: StoredKey,
  { user, kind, digest }: Pick<Credentials, 'user' | 'kind'> & { readonly digest: Uint8Array },
  nowMs: number,
): boolean {
  const checks = [
    stored.kind === kind,
    timingSafeEqual(stored.digest, digest),
    timingSafeEqual(sha256(stored.operator), sha256(user)),
    stored.enabled,
    stored.revokedAt === null,
    !isPast(stored.expiresAt, nowMs),
  ]
  return checks.every(Boolean)
}

function isPast(time: Date | null, nowMs: number): boolean {
  return time !== null && time.getTime() <= nowMs
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}
