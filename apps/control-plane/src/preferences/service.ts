import { preferencesRules } from '@roost/api-types/rest'
import type { PreferencesChange } from '@roost/api-types/rest'
import type { PreferencesService } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import { assertFresh } from '../services/etag.js'
import type { PreferencesStore } from './store.js'

export interface PreferencesOptions {
  readonly store: PreferencesStore
  readonly writes: Writes
}

/** Creates the service of how each operator has the console displayed. */
export function createPreferences({ store, writes }: PreferencesOptions): PreferencesService {
  return {
    get: ({ operatorId }) => store.find(operatorId),
    set: (change, caller, { ifMatch } = {}) =>
      writes.run(caller, async (tx) => {
        const { operatorId: resourceId, operator: name } = caller
        const before = await store.findForUpdate(tx, resourceId)
        assertFresh(before, preferencesRules, ifMatch)
        const result = { ...before, ...definedOf(change) }
        await store.update(tx, resourceId, result)
        const changes = differences(before, result)
        return { result, audit: { action: 'change', resource: 'preferences', resourceId, changes, name } }
      }),
  }
}

function definedOf(change: PreferencesChange) {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}
