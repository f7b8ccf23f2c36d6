import { z } from 'zod'
import { byId } from '../dialect/rules.js'
import type { ResourceRules } from '../dialect/rules.js'
import { ResourceUri } from '../dialect/uri.js'
import { OperatorRole } from './operator.js'
import { Preferences } from './preferences.js'

/** One browser that an operator has logged in with. Its secret is in the cookie of that browser alone. */
export const Session = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    operator: z.int().meta({ description: 'Id of the operator' }),
    operator_name: z.string(),
    key: z.int().meta({ description: 'Id of the key that opened it; the session ends with this key' }),
    client: z.string().meta({ description: 'The browser, as it named itself' }),
    address: z.string().meta({ description: 'Address from which it was opened' }),
    created: z.iso.datetime(),
    expires: z.iso.datetime().meta({ description: 'It ends then, or earlier when it is not used for 8 hours' }),
    last_used: z.iso.datetime().nullable().meta({ description: 'To the minute' }),
  })
  .meta({
    id: 'Session',
    examples: [
      {
        id: 9,
        resource_uri: '/api/v1/sessions/9/',
        operator: 1,
        operator_name: 'admin',
        key: 1,
        client: 'Firefox 140 on Linux',
        address: '192.0.2.7',
        created: '2026-11-20T08:00:00.000Z',
        expires: '2026-11-20T20:00:00.000Z',
        last_used: '2026-11-20T09:12:00.000Z',
      },
    ],
  })
export type Session = z.infer<typeof Session>

export const sessionRules = {
  filters: { ...byId, operator: 'integer', key: 'integer' },
  ordering: ['id'],
  observed: ['last_used'],
} as const satisfies ResourceRules

/** Who is logged in with the cookie of a request. */
export const CurrentSession = z
  .object({
    id: z.int(),
    operator: z.string().meta({ description: 'Name of the operator' }),
    role: OperatorRole,
    created: z.iso.datetime(),
    expires: z.iso.datetime(),
    preferences: Preferences,
  })
  .meta({
    id: 'CurrentSession',
    examples: [
      {
        id: 9,
        operator: 'admin',
        role: 'admin',
        created: '2026-11-20T08:00:00.000Z',
        expires: '2026-11-20T20:00:00.000Z',
        preferences: { theme: 'dark', density: null, units: null, zone: null, language: null, keys: null },
      },
    ],
  })
export type CurrentSession = z.infer<typeof CurrentSession>
