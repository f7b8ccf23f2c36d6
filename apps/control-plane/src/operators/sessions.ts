import { RoostError } from '@roost/api-types/rest'
import type { AuditAction, CurrentSession, Session } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Caller, SessionService } from '@roost/api-types/rpc'
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
  /** Called after each write that has ended a session. */
  readonly accessChanged: () => void
  /** Unix milliseconds. */
  readonly now: () => number
}

/** The life of a session, whether it is used or not. */
export const sessionMs = 12 * 3_600_000
/** Sessions of one operator; the oldest ends when there are more. */
const maxSessions = 100

export function createSessionService({ store, writes, accessChanged, now }: SessionServiceOptions): SessionService {
  const reads = createReads(store)
  const end = (id: number, caller: Caller, ifMatch?: string) =>
    writes.run(caller, async (tx) => {
      const before = found(await store.delete(tx, id))
      assertFresh(before, resources.sessions.rules, ifMatch)
      return { result: undefined, audit: auditOf('log_out', before, before, {}) }
    })
  const current = async ({ keyId, role }: Caller): Promise<CurrentSession | null> => {
    const session = keyId === null ? undefined : await store.find(keyId)
    return session === undefined ? null : currentOf(session, role)
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
      return { session: currentOf(session, caller.role), credentials: `${session.operator_name}:${secret}` }
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

function currentOf({ id, operator_name: operator, created, expires }: Session, role: Caller['role']): CurrentSession {
  return { id, operator, role, created, expires }
}

function auditOf(action: AuditAction, { id: resourceId }: Session, before: object, after: object) {
  return { action, resource: 'sessions', resourceId, changes: differences(shown(before), shown(after)) }
}

/** Without what changes by itself. */
function shown(session: object): object {
  return { ...session, resource_uri: undefined, last_used: undefined }
}
