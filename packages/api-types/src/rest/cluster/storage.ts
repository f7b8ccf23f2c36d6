import { z } from 'zod'
import { relationUri } from '../dialect/uri.js'
import { Pem } from '../../values/pem.js'
import { storageFaults } from './storage-rules.js'

const noUrl =
  'Use an http or https URL such as https://swift.example:8080/auth/v1.0 or https://keystone.example:5000/v3.'

const AuthUrl = z
  .string()
  .max(1024)
  .regex(/^https?:\/\/[!-~]+$/, { error: noUrl, abort: true })
  .refine((text) => URL.canParse(text), { error: noUrl, abort: true })
  .refine((text) => hasOnlyAddress(new URL(text)), { error: 'Leave out user, password, query and fragment.' })

/** Text without characters at which a line of rclone's configuration ends, or that rclone expands or strips. */
function printable(max: number) {
  return z
    .string()
    .max(max)
    .regex(
      /^[^\s\p{C}](?:[^\p{C}\p{Zl}\p{Zp}]*[^\s\p{C}])?$/u,
      'Use printable characters, without a blank at either end.',
    )
    .refine((text) => !text.includes('%('), { error: 'Leave out %(: the gateway would expand it.' })
}

const optional = <T extends z.ZodType>(type: T) => type.nullable().optional()

const interfaces = ['public', 'internal', 'admin'] as const

/** Holds the login of the gateways of a cluster to its Swift, without the key. Null: the login has no such field. */
export const ClusterStorage = z
  .object({
    cluster: relationUri('clusters'),
    auth_url: z.string(),
    auth_version: z
      .union([z.literal(1), z.literal(2), z.literal(3)])
      .describe("1: Swift's own authentication (tempauth). 2 and 3: Keystone"),
    user: z.string().nullable().describe('Null for an application credential that is named by its id'),
    user_domain: z.string().nullable(),
    project: z.string().nullable(),
    project_domain: z.string().nullable(),
    region: z.string().nullable().describe('Null: the first one that Keystone lists for object-store'),
    interface: z.enum(interfaces).nullable().describe("The endpoint of Keystone's catalog; null for version 1"),
    application_credential_id: z.string().nullable(),
    application_credential_name: z.string().nullable(),
    ca: z
      .string()
      .nullable()
      .describe('Authorities (PEM) to trust for authentication and storage, instead of those of the gateway'),
  })
  .meta({
    id: 'ClusterStorage',
    examples: [
      {
        cluster: '/api/v1/clusters/1/',
        auth_url: 'https://keystone.example:5000/v3',
        auth_version: 3,
        user: 'gateways',
        user_domain: 'Default',
        project: 'shares',
        project_domain: 'Default',
        region: 'RegionOne',
        interface: 'public',
        application_credential_id: null,
        application_credential_name: null,
        ca: null,
      },
    ],
  })
export type ClusterStorage = z.infer<typeof ClusterStorage>

/** The login of the account that holds the containers of shares. It replaces the one before as a unit. */
export const ClusterStorageInput = z
  .object({
    auth_url: AuthUrl.describe('Ends in /v3 or /v2.0 for Keystone'),
    auth_version: optional(z.literal([1, 2, 3])).describe('Follows from auth_url when it is left out'),
    user: optional(printable(256)),
    key: printable(1024).describe('The key or password, or the secret of the application credential'),
    user_domain: optional(printable(255)).describe('The name of the domain of the user (version 3)'),
    project: optional(printable(255)).describe(
      'The name of the project that owns the containers. With an application credential: its project, so that uploads continue under the next credential of the same project',
    ),
    project_domain: optional(printable(255)).describe('The name of the domain of the project; default: user_domain'),
    region: optional(printable(255)),
    interface: optional(z.enum(interfaces)).describe('Default: public'),
    application_credential_id: optional(
      z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Use the id of an application credential, such as Keystone shows it.'),
    ),
    application_credential_name: optional(printable(255)).describe('Needs user and user_domain, too'),
    ca: optional(Pem),
  })
  .check(({ value, issues }) => {
    const faulty = new Set(issues.map(({ path }) => path?.[0]))
    if (faulty.has('auth_url')) return
    for (const [field, message] of storageFaults(value))
      if (!faulty.has(field)) issues.push({ code: 'custom', path: [field], message, input: field })
  })
  .meta({
    id: 'NewClusterStorage',
    examples: [
      {
        auth_url: 'https://keystone.example:5000/v3',
        user: 'gateways',
        key: 'a password of Keystone',
        user_domain: 'Default',
        project: 'shares',
        region: 'RegionOne',
      },
      { auth_url: 'https://swift.example:8080/auth/v1.0', user: 'shares:gateway', key: 'a-key-of-tempauth' },
    ],
  })
export type ClusterStorageInput = z.infer<typeof ClusterStorageInput>

function hasOnlyAddress({ username, password, search, hash }: URL): boolean {
  return [username, password, search, hash].every((part) => part === '')
}
