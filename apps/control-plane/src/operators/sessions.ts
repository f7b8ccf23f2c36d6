import { RoostError } from '@roost/api-types/rest'
import type { AuditAction, CurrentSession, Session } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Caller, PreferencesService, SessionService } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import { found } from '../services/errors.js'
import { assertFresh } from '../services/etag.js'
import { createReads } from '../services/reads.js'
import { digestOfKey, newApiKey } from './api-key.js'
import type { SessionStore } from './session-store.js'

export interface SessionServiceOptions {
  readonly store: SessionStore
  readonly writes: Writes
  readonly preferences: Pick<PreferencesService, 'get'>
  /** Called after each write that has ended a session. */
  readonly accessChanged: () => void
  /** Unix milliseconds. */
  readonly now: () => number
}

/** The life of a session, whether it is used or not. */
export const sessionMs = 12 * 3_600_000
/** Sessions of one operator; the oldest ends when there are more. */
const maxSessions = 100

export function createSessionService({
  store,
  writes,
  preferences,
  accessChanged,
  now,
}: SessionServiceOptions): SessionService {
  const reads = createReads(store)
  const end = (id: number, caller: Caller, ifMatch?: string) =>
    writes.run(caller, async (tx) => {
      const before = found(await store.delete(tx, id))
      assertFresh(before, resources.sessions.rules, ifMatch)
      return { result: undefined, audit: auditOf('log_out', before, before, {}) }
    })
  const current = async (caller: Caller): Promise<CurrentSession | null> => {
    const session = caller.keyId === null ? undefined : await store.find(caller.keyId)
    return session === undefined ? null : shownTo(caller, session)
  }
  const shownTo = async (caller: Caller, { id, operator_name: operator, created, expires }: Session) => {
    return { id, operator, role: caller.role, created, expires, preferences: await preferences.get(caller) }
  }
  return {
    ...reads,
    async open(client, caller) {
      const { keyId: parentId, operatorId, address } = caller
      if (parentId === null || (await store.find(parentId)) !== undefined)
        throw new RoostError('conflict', 'A session is opened with the key of an operator.')
      const secret = newApiKey()
      const at = now()
      const times = { createdAt: new Date(at), expiresAt: new Date(at + sessionMs) }
      const session = await writes.run(caller, async (tx) => {
        const row = { operatorId, parentId, digest: digestOfKey(secret), client, address, ...times }
        const result = await store.insert(tx, row)
        await store.deleteBeyond(tx, operatorId, maxSessions)
        return { result, audit: auditOf('log_in', result, {}, result) }
      })
      return { session: await shownTo(caller, session), credentials: `${session.operator_name}:${secret}` }
    },
    current,
    async close(caller) {
      if (caller.keyId === null || (await current(caller)) === null) return
      await end(caller.keyId, caller)
      accessChanged()
    },
    async remove(id, caller, options) {
      await end(id, caller, options?.ifMatch)
      accessChanged()
    },
  }
}

function auditOf(action: AuditAction, { id: resourceId }: Session, before: object, after: object) {
  return { action, resource: 'sessions', resourceId, changes: differences(shown(before), shown(after)) }
}

/** Without what changes by itself. */
function shown(session: object): object {
  return { ...session, resource_uri: undefined, last_used: undefined }
}
