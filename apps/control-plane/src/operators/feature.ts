import type { PreferencesService, Services } from '@roost/api-types/rpc'
import type { Writes } from '../database/writes.js'
import type { Database } from '../database/database.js'
import type { Log } from '../lifecycle/log.js'
import { createAuthentication } from './authentication.js'
import type { Authentication } from './authentication.js'
import { createAuthenticationStore } from './authentication-store.js'
import { createKeyStore } from './key-store.js'
import { createKeyService } from './keys.js'
import { createSessionService } from './sessions.js'
import { createSessionStore } from './session-store.js'
import { createOperatorService } from './service.js'
import { createOperatorStore } from './store.js'

export interface OperatorFeature {
  readonly authentication: Authentication
  /** What operators with the role `admin` may do about operators. */
  readonly access: Pick<Services, 'operators' | 'apiKeys' | 'sessions'>
}

export interface OperatorOptions {
  readonly database: Database
  readonly writes: Writes
  /** How a session has the console displayed. */
  readonly preferences: Pick<PreferencesService, 'get'>
  readonly log: Log
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Who may call, and who says so. */
export function createOperators({ database, writes, preferences, log, now }: OperatorOptions): OperatorFeature {
  const authentication = createAuthentication({ store: createAuthenticationStore(database), log, now })
  const accessChanged = () => authentication.forget()
  const sessions = { store: createSessionStore(database, now), writes, preferences, accessChanged, now }
  return {
    authentication,
    access: {
      operators: createOperatorService({ store: createOperatorStore(database, now), writes, accessChanged }),
      apiKeys: createKeyService({ store: createKeyStore(database, now), writes, accessChanged, now }),
      sessions: createSessionService(sessions),
    },
  }
}
