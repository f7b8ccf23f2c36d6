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
   * Who has this name and key; undefined for every cause of failure alike. With `whileAway`, what was true when the
   * database last answered counts while it is away.
   */
  authenticate(
    user: string,
    key: string,
    options?: { readonly whileAway?: boolean },
  ): Promise<AuthenticatedOperator | undefined>
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

/** Good credentials. */
interface Seen {
  readonly operator: AuthenticatedOperator
  readonly expiresAt: Date | null
}

interface Remembered extends Seen {
  /** Until when the database need not be asked. */
  readonly until: number
}

/** How long good credentials are good after the last look began: a revoked key ends within this, on every replica. */
const rememberedMs = 2_000
/** From this age on they are looked at again beside the request, so that who asks all the time never waits for that. */
const lookAheadMs = rememberedMs / 2
/** How long a silent database is waited for where what was seen last is good enough. */
const silentMs = 2_000
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
  const memory = createMemory(now)
  const lookingAhead = new Set<string>()
  const touched = new Map<number, number>()

  async function look(user: string, key: string): Promise<Seen | undefined> {
    const digest = digestOfKey(key)
    const stored = (await store.findKey(digest)) ?? nobody
    if (!isGood(stored, user, digest, now())) return undefined
    touch(stored.keyId)
    return seenOf(stored)
  }

  function lookAhead(name: string, known: Remembered, user: string, key: string): void {
    if (lookingAhead.has(name)) return
    lookingAhead.add(name)
    const renew = memory.renewal(name)
    look(user, key)
      // Who asked meanwhile may have found something newer.
      .then((seen) => memory.get(name) === known && renew(seen))
      // What is remembered runs out, and the next look tells what is wrong with the database.
      .catch(() => {})
      .finally(() => lookingAhead.delete(name))
  }

  function touch(keyId: number): void {
    if (now() - (touched.get(keyId) ?? Number.NEGATIVE_INFINITY) < touchEveryMs) return
    touched.set(keyId, now())
    store.touchKey(keyId, new Date(now())).catch((error: unknown) => {
      log.warn(logged(error), "the time of a key's last use was not stored")
    })
  }

  return {
    async authenticate(user, key, { whileAway = false } = {}) {
      const name = sha256(`${user}:${key}`).toString('base64')
      const known = memory.get(name)
      if (known !== undefined && now() < known.until) {
        if (now() >= known.until - lookAheadMs) lookAhead(name, known, user, key)
        return known.operator
      }
      const renew = memory.renewal(name)
      const seen = await lookOr(whileAway ? known : undefined, look(user, key), now)
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

/** Good credentials. Only what succeeded as a whole is remembered, so that every failure goes all the way. */
function createMemory(now: () => number) {
  const remembered = new LRUCache<string, Remembered>({ max: maxRemembered })
  let forgotten = 0
  return {
    get: (name: string) => remembered.get(name),
    /** Asked for before a look, called with its outcome: one from before a write that may have ended them is not remembered. */
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

/** What was seen last where that will do, when the database is away or silent. */
async function lookOr(last: Remembered | undefined, looking: Promise<Seen | undefined>, now: () => number) {
  if (last === undefined || isPast(last.expiresAt, now())) return looking
  const orLast = looking.catch((error: unknown) => {
    if (isTemporary(error)) return last
    throw error
  })
  return withTimeout(orLast, silentMs, () => last)
}

function seenOf({ keyId, operatorId, operator, role, expiresAt }: StoredKey): Seen {
  return { operator: { keyId, operatorId, operator, role: role === 'admin' ? 'admin' : 'read_only' }, expiresAt }
}

/** Weighs everything, whatever failed before, so that the time tells nothing. */
function isGood(stored: StoredKey, user: string, digest: Uint8Array, nowMs: number): boolean {
  const checks = [
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
