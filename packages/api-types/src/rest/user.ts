import { z } from 'zod'
import { throughCluster } from './rules.js'
import type { ResourceRules } from './rules.js'
import { relationTo, relationUri, ResourceUri } from './uri.js'

/** Storage accounts that one cluster may hold: its authentication reads them all at each start. */
export const maxUsersPerCluster = 4096

export const UserName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'Use 1 to 64 letters, digits, dots, underscores or dashes, and begin with a letter or a digit.',
  )

/** What the cluster's authentication would misread inside a key: interpolation, and a storage URL as the last word. */
const misread = ['%(', '://', '$HOST'] as const

export const UserPassword = z
  .string()
  .min(20, 'Ensure this value has at least 20 characters.')
  .max(1024, 'Ensure this value has at most 1024 characters.')
  .regex(/^[!-~]*$/, 'Use printable ASCII characters without blanks.')
  .refine((text) => !misread.some((part) => text.includes(part)), {
    error: `Leave out ${misread.join(', ')}: the cluster's authentication would misread them.`,
  })

/** A storage account as lists and details show it: never with its password. */
export const User = z
  .object({
    id: z.string().meta({ description: 'Numeric text', example: '12' }),
    resource_uri: ResourceUri,
    cluster: relationUri('clusters'),
    user: z.string().meta({ description: 'Logs in as <user>:<user>; its account is AUTH_<user>' }),
    is_superuser: z.boolean().meta({ description: 'Reaches every account of the cluster' }),
    enabled: z.boolean(),
  })
  .meta({ id: 'User' })
export type User = z.infer<typeof User>

/** The answer to a write: the password stands in it only if that very request set it. */
export const WrittenUser = User.extend({ password: z.string().optional() }).meta({ id: 'WrittenUser' })
export type WrittenUser = z.infer<typeof WrittenUser>

export const UserInput = z.object({
  cluster: relationTo('clusters'),
  user: UserName,
  password: UserPassword,
  is_superuser: z.boolean().default(false),
  enabled: z.boolean().default(true),
})
export type UserInput = z.infer<typeof UserInput>

/** A user keeps its name and its cluster: its account is named after it, and lies there. */
export const UserChange = z
  .object({ password: UserPassword, is_superuser: z.boolean(), enabled: z.boolean() })
  .partial()
export type UserChange = z.infer<typeof UserChange>

export const userRules = {
  filters: { id: 'integer', ...throughCluster, user: 'text' },
  ordering: ['id', 'cluster', 'user', 'is_superuser', 'enabled'],
  // In the answers of writes alone; a new one moves the record's revision.
  observed: ['password'],
} as const satisfies ResourceRules

/**
 * The name of a user's line in the cluster's authentication (tempauth): `user_<account>_<user>`, and with both parts in
 * unpadded base64 where the name holds the separator itself.
 */
export function userLine(name: string): string {
  if (!name.includes('_')) return `user_${name}_${name}`
  const text = Buffer.from(name, 'utf8').toString('base64').replace(/=+$/, '')
  return `user64_${text}_${text}`
}

/**
 * Two users of a cluster must differ in this: its configuration parser compares the names of lines without case, and the
 * proxy does not start when two are equal. Distinct names can meet here, since base64 tells case apart by its own case.
 */
export function userLineKey(name: string): string {
  return userLine(name).toLowerCase()
}
