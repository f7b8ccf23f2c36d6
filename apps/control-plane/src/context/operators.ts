import type { PreferencesService } from '@roost/api-types/rpc'
import type { Database } from '../database/database.js'
import type { Writes } from '../database/writes.js'
import { recordFailedLogins } from '../operators/authentication-store.js'
import { createFailedLogins } from '../operators/failed-logins.js'
import { createOperators } from '../operators/feature.js'
import { createPreferences } from '../preferences/service.js'
import { createPreferencesStore } from '../preferences/store.js'
import { createViewService } from '../views/service.js'
import { createViewStore } from '../views/store.js'
import type { ContextOptions } from './options.js'

/** Builds the authentication of operators, what counts its failures, and what each operator has stored. */
export function buildOperators(database: Database, { log, now }: Pick<ContextOptions, 'log' | 'now'>, writes: Writes) {
  const failedLogins = createFailedLogins({ record: recordFailedLogins(database), log })
  const preferences = buildPreferences(database, writes)
  const views = createViewService({ store: createViewStore(database), writes })
  const { authentication, access } = createOperators({ database, writes, preferences, log, now })
  return { authentication, access: { ...access, preferences, views }, failedLogins }
}

export function buildPreferences(database: Database, writes: Writes): PreferencesService {
  return createPreferences({ store: createPreferencesStore(database), writes })
}
