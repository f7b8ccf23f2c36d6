import { z } from 'zod'
import { relationUri, ResourceUri } from '../dialect/uri.js'
import { Pem } from '../../values/pem.js'

const noUrl = "Use the URL of Keystone's API version 3, such as https://keystone.example:5000/v3."

const AuthUrl = z
  .string()
  .max(1024)
  .regex(/^https?:\/\/[!-~]+$/, { error: noUrl, abort: true })
  .refine((text) => URL.canParse(text), { error: noUrl, abort: true })
  .refine((text) => hasOnlyAddress(new URL(text)), {
    error: 'Leave out user, password, query and fragment.',
    abort: true,
  })
  .refine((text) => /\/v3\/?$/.test(text), { error: noUrl })

/** A name in Keystone. */
const Name = z
  .string()
  .max(255)
  .regex(
    /^[^\s\p{C}](?:[^\p{C}\p{Zl}\p{Zp}]*[^\s\p{C}])?$/u,
    'Use printable characters, without a blank at either end.',
  )

const optional = <T extends z.ZodType>(type: T) => type.nullable().optional()

const domainText =
  "The domain of Keystone that Roost creates, and in which it manages a user and a project for each of the cluster's users"

/** Shows the identity service of a cluster: the Keystone that has its users, and the login with which Roost manages them, without the key. */
export const ClusterIdentity = z
  .object({
    cluster: relationUri('clusters'),
    resource_uri: ResourceUri,
    auth_url: z.string(),
    user: z.string().nullable(),
    user_domain: z.string().nullable(),
    project: z.string().nullable(),
    project_domain: z.string().nullable(),
    application_credential_id: z.string().nullable(),
    ca: z.string().nullable().describe('Authorities (PEM) to trust instead of those of the machine'),
    domain: z.string().describe(domainText),
    role: z
      .string()
      .describe("The role that a user gets on its project: one of operator_roles of Swift's keystoneauth"),
    reseller_role: z
      .string()
      .describe("The role that a superuser gets besides: reseller_admin_role of Swift's keystoneauth"),
  })
  .meta({
    id: 'ClusterIdentity',
    examples: [
      {
        cluster: '/api/v1/clusters/1/',
        resource_uri: '/api/v1/clusters/1/identity/',
        auth_url: 'https://keystone.example:5000/v3',
        user: null,
        user_domain: null,
        project: null,
        project_domain: null,
        application_credential_id: '6f556708d04b4ea6bc72d7df2296b71a',
        ca: null,
        domain: 'roost',
        role: 'member',
        reseller_role: 'ResellerAdmin',
      },
    ],
  })
export type ClusterIdentity = z.infer<typeof ClusterIdentity>

/** How a Keystone compares with the users of its cluster. */
export const IdentityState = z.enum(['synced', 'pending', 'drifted', 'unreachable', 'unknown'])
export type IdentityState = z.infer<typeof IdentityState>

/** Shows how the Keystone of a cluster was when it was compared last. */
export const IdentityHealth = z
  .object({
    identity: ResourceUri,
    state: IdentityState.meta({
      description:
        '`synced`: it has what Roost has; `pending`: changes in Roost are not deployed; `drifted`: it was changed after it agreed; `unreachable`: it could not be read; `unknown`: it was not compared yet',
    }),
    detail: z.string().meta({ description: 'What differs, or why it could not be read' }),
    checked: z.iso.datetime().nullable(),
  })
  .meta({ id: 'IdentityHealth' })
export type IdentityHealth = z.infer<typeof IdentityHealth>

export const ClusterIdentityInput = z
  .object({
    auth_url: AuthUrl.describe('Ends in /v3'),
    user: optional(Name),
    key: z
      .string()
      .regex(/^[^\p{C}]{1,1024}$/u, 'Use 1 to 1024 printable characters.')
      .describe('The password, or the secret of the application credential'),
    user_domain: optional(Name).describe('Default: Default'),
    project: optional(Name).describe('Without one the login is scoped to the system'),
    project_domain: optional(Name).describe('Default: user_domain'),
    application_credential_id: optional(
      z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'Use the id of an application credential, as Keystone shows it.'),
    ).describe('In place of user, user_domain, project and project_domain'),
    ca: optional(Pem),
    domain: Name.default('roost').describe(domainText),
    role: Name.default('member'),
    reseller_role: Name.default('ResellerAdmin'),
  })
  .check(({ value, issues }) => {
    for (const [field, message] of loginFaults(value))
      issues.push({ code: 'custom', path: [field], message, input: field })
  })
  .meta({
    examples: [
      {
        auth_url: 'https://keystone.example:5000/v3',
        application_credential_id: '6f556708d04b4ea6bc72d7df2296b71a',
        key: 'secret-of-the-credential',
      },
    ],
  })
export type ClusterIdentityInput = z.infer<typeof ClusterIdentityInput>

type LoginField = 'user' | 'user_domain' | 'project' | 'project_domain' | 'application_credential_id'
type Login = Readonly<Partial<Record<LoginField, string | null | undefined>>>

function loginFaults(login: Login): readonly (readonly [field: string, sentence: string])[] {
  const { user, application_credential_id: credential } = login
  if (credential == null)
    return user == null ? [['user', 'Give a user, or an application credential by its id.']] : projectFaults(login)
  const others = ['user', 'user_domain', 'project', 'project_domain'] as const
  const sentence = 'An application credential has its own user and project. Leave this out.'
  return others.filter((field) => login[field] != null).map((field) => [field, sentence] as const)
}

function projectFaults({ project, project_domain: domain }: Login): readonly (readonly [string, string])[] {
  return domain != null && project == null
    ? [['project', 'Add the project of this domain, or leave out project_domain.']]
    : []
}

function hasOnlyAddress({ username, password, search, hash }: URL): boolean {
  return [username, password, search, hash].every((part) => part === '')
}
