import { z } from 'zod'
import { byId } from '../dialect/rules.js'
import type { ResourceRules } from '../dialect/rules.js'
import { maxId } from '../dialect/uri.js'

export const OperatorRole = z.enum(['admin', 'read_only'])
export type OperatorRole = z.infer<typeof OperatorRole>

/** Whoever calls this API: a person or a program. Operators are made by tRPC and the command line alone. */
export const Operator = z
  .object({
    id: z.int(),
    name: z.string(),
    role: OperatorRole,
    enabled: z.boolean(),
    created: z.iso.datetime(),
    /** Keys that work now. */
    keys: z.int(),
    /** When any of its keys was last used; to the minute. */
    last_used: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Operator' })
export type Operator = z.infer<typeof Operator>

/** What audit events name that is no operator: `local`, `agent`, `agent 5f0c…`. People do not see a difference of case. */
const reserved = /^(?:local|agent)(?: |$)/i

export const OperatorInput = z.object({
  name: z
    .string()
    .regex(
      /^[!-9;-~](?:[ -9;-~]{0,62}[!-9;-~])?$/,
      'Use 1 to 64 printable ASCII characters without a colon and without a leading or trailing space.',
    )
    .refine((name) => !reserved.test(name), {
      error: 'This name is reserved for Roost itself in the audit log. Choose another name.',
    }),
  role: OperatorRole.default('read_only'),
})
export type OperatorInput = z.infer<typeof OperatorInput>

export const OperatorChange = z.object({ role: OperatorRole, enabled: z.boolean() }).partial()
export type OperatorChange = z.infer<typeof OperatorChange>

export const operatorRules = {
  filters: { ...byId, name: 'text', role: 'text', enabled: 'boolean' },
  ordering: ['id', 'name', 'role', 'enabled'],
  observed: ['keys', 'last_used'],
} as const satisfies ResourceRules

/** `expired` and `revoked` keys are refused, as are those of a disabled operator. */
export const ApiKeyState = z.enum(['active', 'expired', 'revoked'])
export type ApiKeyState = z.infer<typeof ApiKeyState>

/** A key without its secret, which only the answer that created it contains. */
export const ApiKey = z
  .object({
    id: z.int(),
    /** The operator's id. */
    operator: z.int(),
    operator_name: z.string(),
    label: z.string(),
    state: ApiKeyState,
    created: z.iso.datetime(),
    expires: z.iso.datetime().nullable(),
    revoked: z.iso.datetime().nullable(),
    /** To the minute. */
    last_used: z.iso.datetime().nullable(),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof ApiKey>

/** The answer to the request that made the key: the only one that shows it. */
export const CreatedApiKey = ApiKey.extend({
  /** `name:key`, as it goes into the header after `apikey `. */
  credentials: z.string(),
}).meta({ id: 'CreatedApiKey' })
export type CreatedApiKey = z.infer<typeof CreatedApiKey>

const longestSeconds = 10 * 365 * 86_400
const Seconds = z.int().min(0).max(longestSeconds)

export const ApiKeyInput = z.object({
  /** The operator's id. */
  operator: z.int().min(1).max(maxId),
  /** What it is for. */
  label: z
    .string()
    .regex(/^[^\p{C}]{0,64}$/u, 'Use at most 64 characters.')
    .default(''),
  /** Seconds until it expires; never unless given. */
  ttl_seconds: Seconds.min(1).optional(),
})
export type ApiKeyInput = z.infer<typeof ApiKeyInput>

export const ApiKeyRotation = z.object({
  /** Seconds for which the old key goes on working beside the new one. */
  overlap_seconds: Seconds.default(86_400),
  /** Seconds until the new one expires; as long as the old one was given, unless said. */
  ttl_seconds: Seconds.min(1).optional(),
})
export type ApiKeyRotation = z.infer<typeof ApiKeyRotation>

export const apiKeyRules = {
  filters: { ...byId, operator: 'integer' },
  ordering: ['id'],
  observed: ['last_used', 'state'],
} as const satisfies ResourceRules
