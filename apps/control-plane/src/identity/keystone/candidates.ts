import { UserName } from '@roost/api-types/rest'
import { z } from 'zod'
import type { Candidate } from '../../users/candidate.js'
import type { KeystoneClient } from './client.js'
import { KeystoneUser, ownerField } from './objects.js'

const Named = z.object({ id: z.string(), name: z.string() })
const InDomain = Named.extend({ domain: z.object({ name: z.string() }) })
const Assignment = z.object({
  user: InDomain.optional(),
  scope: z.object({ project: InDomain.optional() }),
})

/** What tells the users of a cluster from those that others made. */
export interface CandidateScope {
  readonly roleId: string
  /** Undefined where Keystone has no such role. */
  readonly resellerId: string | undefined
  /** The domain that Roost manages. */
  readonly domain: string
  /** The mark of its objects. */
  readonly owner: string
}

interface Assigned {
  readonly user: z.infer<typeof InDomain>
  readonly project: z.infer<typeof InDomain>
}

/**
 * Reads the users of Keystone who can work in Swift by one of the two roles of the cluster, and that Roost did not create: one for
 * each project, since that is the account. Roles by groups and inherited ones are left out. Rejects with a KeystoneError.
 */
export async function readCandidates(
  client: KeystoneClient,
  { roleId, resellerId, ...domain }: CandidateScope,
): Promise<readonly Candidate[]> {
  const members = await readAssignments(client, roleId)
  const resellers = resellerId === undefined ? new Map<string, Assigned>() : await readAssignments(client, resellerId)
  const ours = await readOurs(client, domain)
  const all = new Map([...members, ...resellers])
  return [...all]
    .filter(([, { user }]) => !ours.has(user.id))
    .map(([key, { user, project }]): Candidate => ({
      login: user.name,
      domain: user.domain.name,
      account: `AUTH_${project.id}`,
      isSuperuser: resellers.has(key),
      name: UserName.safeParse(user.name).success ? user.name : null,
      source: `project ${project.name} of domain ${project.domain.name}`,
      problem:
        user.id === client.userId
          ? 'This is the login with which Roost manages Keystone. Give Roost a login of its own first.'
          : null,
      passwordProblem: null,
      key: user.id,
      readEnabled: async () => (await client.find(`/users/${user.id}`, 'user', KeystoneUser))?.enabled ?? false,
      columns: { adoptedIdentityUser: user.id, projectId: project.id, login: user.name },
    }))
}

async function readAssignments(client: KeystoneClient, roleId: string): Promise<ReadonlyMap<string, Assigned>> {
  const rows = await client.list(
    `/role_assignments?role.id=${roleId}&include_names=true`,
    'role_assignments',
    Assignment,
  )
  const found = rows.flatMap(({ user, scope: { project } }) =>
    user === undefined || project === undefined ? [] : [[`${user.id}/${project.id}`, { user, project }] as const],
  )
  return new Map(found)
}

/** Returns the ids of the users that Roost created for the cluster, also those that were removed since. */
async function readOurs(
  client: KeystoneClient,
  { domain, owner }: Pick<CandidateScope, 'domain' | 'owner'>,
): Promise<ReadonlySet<string>> {
  const domains = await client.list(`/domains?name=${encodeURIComponent(domain)}`, 'domains', Named)
  const [ours] = domains
  if (ours === undefined) return new Set()
  const users = await client.list(`/users?domain_id=${ours.id}`, 'users', KeystoneUser)
  return new Set(users.filter((one) => one[ownerField] === owner).map(({ id }) => id))
}
