import { z } from 'zod'
import type { ResourceRules } from '../dialect/rules.js'

const one = <const V extends readonly [string, ...string[]]>(...values: V) => z.enum(values).nullable()

const example = { theme: 'dark', density: null, units: 'binary', zone: 'utc', language: null, keys: null } as const

/** How an operator has the console displayed, in every browser. Null: as the browser has it. */
export const Preferences = z
  .object({
    theme: one('system', 'light', 'dark'),
    density: one('comfortable', 'compact').meta({ description: 'Height of rows' }),
    units: one('decimal', 'binary').meta({ description: 'Powers of 1,000 (TB) or of 1,024 (TiB)' }),
    zone: one('local', 'utc'),
    language: one('en', 'de'),
    keys: z.boolean().nullable().meta({ description: 'Single keys, such as `g n`' }),
  })
  .meta({ id: 'Preferences', examples: [example] })
export type Preferences = z.infer<typeof Preferences>

export const PreferencesChange = Preferences.partial().meta({ examples: [{ theme: 'dark' }] })
export type PreferencesChange = z.infer<typeof PreferencesChange>

export const preferencesRules = { filters: {}, ordering: [], observed: [] } as const satisfies ResourceRules
