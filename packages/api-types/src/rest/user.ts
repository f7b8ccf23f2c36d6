import { z } from 'zod'
import { boundedText } from '../values/text.js'
import { misreadInKeys, userNamePattern } from '../values/user-line.js'
import { byId, throughCluster } from './dialect/rules.js'
import type { ResourceRules } from './dialect/rules.js'
import { relationTo, relationUri, ResourceUri } from './dialect/uri.js'
import { changedSet, SetName, shownSet } from '../values/record-set.js'

/** Storage accounts that one cluster may hold: its authentication reads them all at each start. */
export const maxUsersPerCluster = 4096

export const UserName = z
  .string()
  .regex(
    userNamePattern,
    'Use 1 to 64 letters, digits, dots, underscores or dashes, and begin with a letter or a digit.',
  )

export const UserPassword = z
  .string()
  .min(20)
  .max(1024)
  .regex(/^[!-~]*$/, 'Use printable ASCII characters without blanks.')
  .refine((text) => !misreadInKeys.some((part) => text.includes(part)), {
    error: `Leave out ${misreadInKeys.join(', ')}: the cluster's authentication would misread them.`,
  })

const examplePassword = 'correct-horse-battery-staple'
const exampleUser = {
  id: '12',
  resource_uri: '/api/v1/users/12/',
  cluster: '/api/v1/clusters/1/',
  user: 'bob',
  is_superuser: false,
  enabled: true,
}

/** A storage account as lists and details show it: never with its password. */
export const User = z
  .object({
    id: z.string().meta({ description: 'Integer as a string', example: '12' }),
    resource_uri: ResourceUri,
    cluster: relationUri('clusters'),
    user: z.string().meta({ description: 'Logs in as <user>:<user>; its account is AUTH_<user>' }),
    is_superuser: z.boolean().meta({ description: 'Can access every account of the cluster' }),
    enabled: z.boolean(),
    account: z.string().optional().meta({
      description:
        'Where users are in Keystone: AUTH_<id of the project>, from the first deployment on. Of an adopted user: the account that it has',
    }),
    login: z.string().optional().meta({
      description:
        'Where users are in Keystone: the name to log in with, from the first deployment on. Of an adopted user: its login, such as test:tester',
    }),
    set: shownSet,
  })
  .meta({ id: 'User', examples: [exampleUser] })
export type User = z.infer<typeof User>

/** The answer to a write: it has password and access key only if this request set the password. */
export const WrittenUser = User.extend({
  password: z.string().optional(),
  s3_access_key: z.string().optional().meta({
    description:
      'Only with the password: the access key of the account by S3, whose secret key is the password. Clusters whose users are in tempauth have it',
  }),
}).meta({
  id: 'WrittenUser',
  examples: [{ ...exampleUser, password: examplePassword, s3_access_key: 'bob:bob' }],
})
export type WrittenUser = z.infer<typeof WrittenUser>

export const UserInput = z
  .object({
    cluster: relationTo('clusters'),
    user: UserName,
    password: UserPassword,
    is_superuser: z.boolean().default(false),
    enabled: z.boolean().default(true),
    set: SetName.optional(),
  })
  .meta({ examples: [{ cluster: '/api/v1/clusters/1/', user: 'bob', password: examplePassword }] })
export type UserInput = z.infer<typeof UserInput>

/** A user keeps its name and its cluster: its account is named after it, and lies there. */
export const UserChange = z
  .object({ password: UserPassword, is_superuser: z.boolean(), enabled: z.boolean(), set: changedSet })
  .partial()
  .meta({ examples: [{ enabled: false }] })
export type UserChange = z.infer<typeof UserChange>

const AccessKey = z.string().meta({ description: 'By which a client of S3 names the credential' })
const exampleAccessKey = '6f556708d04b4ea6bc72d7df2296b71a'

/** With what a user reaches its account by S3. Secret keys are never shown again. */
export const S3Credentials = z
  .object({
    resource_uri: ResourceUri,
    user: relationUri('users'),
    access_keys: z.array(AccessKey).meta({
      description:
        'Of the EC2 credentials of the user in Keystone; in tempauth its login, whose secret key is the password',
    }),
  })
  .meta({
    id: 'S3Credentials',
    examples: [
      { resource_uri: '/api/v1/users/12/s3_credentials/', user: '/api/v1/users/12/', access_keys: [exampleAccessKey] },
    ],
  })
export type S3Credentials = z.infer<typeof S3Credentials>

/** The answer to the request that created it, the only one with the secret key. */
export const CreatedS3Credential = z.object({ access_key: AccessKey, secret_key: z.string() }).meta({
  id: 'CreatedS3Credential',
  examples: [{ access_key: exampleAccessKey, secret_key: '1f0c7a5d5b6f4e0c8b1d5a9e2c3f4d6b7a8c9e0f' }],
})
export type CreatedS3Credential = z.infer<typeof CreatedS3Credential>

/** A user of a cluster's tempauth or Keystone that Roost did not create, without its key. */
export const AdoptableUser = z
  .object({
    cluster: relationUri('clusters'),
    login: z.string().meta({ description: 'With what it logs in: `account:user` in tempauth, its name in Keystone' }),
    domain: z.string().nullable().meta({ description: 'Its domain in Keystone; null in tempauth' }),
    account: z.string().meta({ description: 'The account that it works in' }),
    is_superuser: z.boolean(),
    user: z
      .string()
      .nullable()
      .meta({ description: 'The name that it gets in Roost unless the adoption gives another one' }),
    source: z.string().meta({ description: 'Where it was found: a file, or a project of Keystone' }),
    problem: z.string().nullable().meta({ description: 'Why it cannot be adopted as it is' }),
  })
  .meta({
    id: 'AdoptableUser',
    examples: [
      {
        cluster: '/api/v1/clusters/1/',
        login: 'test:tester',
        domain: null,
        account: 'AUTH_test',
        is_superuser: false,
        user: 'test-tester',
        source: '/etc/swift/proxy-server.conf.d/10-proxy-server.conf',
        problem: null,
      },
    ],
  })
export type AdoptableUser = z.infer<typeof AdoptableUser>

/** Which user is adopted. Account and domain are needed where several have the login. */
export const AdoptionInput = z
  .object({
    login: boundedText(512).min(1),
    account: boundedText(512).optional(),
    domain: boundedText(255).optional(),
    user: UserName.optional().describe('Default: as `adoptable_users/` shows it'),
    password: UserPassword.optional().describe('Without one the user keeps the password that it has'),
    set: SetName.optional(),
  })
  .meta({ examples: [{ login: 'test:tester' }] })
export type AdoptionInput = z.infer<typeof AdoptionInput>

export const userRules = {
  filters: { ...byId, ...throughCluster, user: 'text', set: 'text' },
  ordering: ['id', 'cluster', 'user', 'is_superuser', 'enabled'],
  // Password and access key are in the answers of writes alone, and a new password moves the record's revision. Deployments
  // set the others.
  observed: ['password', 's3_access_key', 'account', 'login'],
} as const satisfies ResourceRules
