import { Preferences, PreferencesChange, preferencesRules } from '@roost/api-types/rest'
import type { PreferencesService } from '@roost/api-types/rpc'
import { ifMatch, ifNoneMatch } from '../http/dialect/schema-document.js'
import type { Route } from '../http/dialect/route.js'
import { objectBody } from '../http/guards/body.js'
import { etagOf, matchesAny } from '../services/etag.js'
import { parseFields } from '../services/field-errors.js'

/** How the caller has the console displayed, as one record without an id. */
export function preferencesRoutes(preferences: PreferencesService): readonly Route[] {
  const shared = { path: 'preferences/', resource: 'preferences', answer: Preferences, etag: true } as const
  return [
    {
      ...shared,
      method: 'GET',
      status: 200,
      headers: ifNoneMatch,
      isConditional: true,
      summary: 'How the operator of the key has the console displayed',
      async handle({ caller, headers }, reply) {
        const found = await preferences.get(caller)
        const etag = etagOf(found, preferencesRules)
        reply.header('etag', etag)
        return matchesAny(etag, headers['if-none-match']) ? reply.code(304).send() : found
      },
    },
    {
      ...shared,
      method: 'PATCH',
      status: 202,
      headers: ifMatch,
      body: PreferencesChange,
      summary: 'Change how the operator of the key has the console displayed; null leaves it to the browser',
      async handle({ caller, headers, body }, reply) {
        const change = parseFields(PreferencesChange, objectBody(body))
        const seen = headers['if-match']
        const changed = await preferences.set(change, caller, seen === undefined ? {} : { ifMatch: seen })
        reply.header('etag', etagOf(changed, preferencesRules))
        return changed
      },
    },
  ]
}
