import { inParallel } from '@roost/runtime'
import type { DesiredIdentity } from './desired.js'
import { findRole, missingRole } from './check.js'
import type { KeystoneClient } from './keystone/client.js'
import { KeystoneError } from './keystone/errors.js'
import { KeystoneDomain, KeystoneGrant, KeystoneProject, KeystoneUser } from './keystone/objects.js'

/** What Keystone has of a cluster. */
export interface FoundIdentity {
  readonly roleId: string
  /** Undefined where Keystone has no such role, and no user needs it. */
  readonly resellerRoleId: string | undefined
  /** Undefined: there is no domain of that name. */
  readonly domain: KeystoneDomain | undefined
  /** All users and projects of the domain. */
  readonly users: readonly KeystoneUser[]
  readonly projects: readonly KeystoneProject[]
  readonly adopted: AdoptedObjects
  /** Which user has which of the two roles on which project, as `grantKey` has it. */
  readonly grants: ReadonlySet<string>
}

/** What other programs created and was adopted, of any domain. */
export interface AdoptedObjects {
  readonly users: readonly KeystoneUser[]
  readonly projects: readonly KeystoneProject[]
}

export function grantKey(roleId: string, userId: string, projectId: string): string {
  return `${roleId}/${userId}/${projectId}`
}

/** Reads it. Rejects with a KeystoneError, also where a role is missing. */
export async function readFound(client: KeystoneClient, desired: DesiredIdentity): Promise<FoundIdentity> {
  const roleId = await findRole(client, desired.role)
  if (roleId === undefined) throw new KeystoneError(missingRole(desired.role))
  const resellerRoleId = await findRole(client, desired.resellerRole)
  if (resellerRoleId === undefined && desired.users.some(({ isSuperuser }) => isSuperuser))
    throw new KeystoneError(missingRole(desired.resellerRole))
  const name = encodeURIComponent(desired.domain)
  const domains = await client.list(`/domains?name=${name}`, 'domains', KeystoneDomain)
  const domain = domains.find((one) => one.name.toLowerCase() === desired.domain.toLowerCase())
  const roles = { roleId, resellerRoleId }
  const adopted = await readAdopted(client, desired)
  if (domain === undefined && adopted.users.length === 0)
    return { ...roles, domain, users: [], projects: [], adopted, grants: new Set() }
  const [users, projects] = domain === undefined ? [[], []] : await readDomain(client, domain.id)
  const grants = new Set([...(await readGrants(client, roleId)), ...(await readGrants(client, resellerRoleId))])
  return { ...roles, domain, users, projects, adopted, grants }
}

async function readDomain(client: KeystoneClient, id: string) {
  const users = await client.list(`/users?domain_id=${id}`, 'users', KeystoneUser)
  return [users, await client.list(`/projects?domain_id=${id}`, 'projects', KeystoneProject)] as const
}

/** Requests that Keystone gets at once. */
const atOnce = 4

async function readAdopted(client: KeystoneClient, { users, removed }: DesiredIdentity): Promise<AdoptedObjects> {
  const present = users.flatMap(({ adoptedId, projectId }) =>
    adoptedId === null ? [] : [[adoptedId, projectId ?? '']],
  )
  const all = [...present, ...removed.map(({ userId, projectId }) => [userId, projectId])]
  const found = { users: [] as KeystoneUser[], projects: [] as KeystoneProject[] }
  const faults = await inParallel(all, atOnce, async ([userId, projectId]) => {
    const user = await client.find(`/users/${userId}`, 'user', KeystoneUser)
    const project = await client.find(`/projects/${projectId}`, 'project', KeystoneProject)
    if (user !== undefined) found.users.push(user)
    if (project !== undefined) found.projects.push(project)
  })
  for (const { error } of faults) throw error
  return found
}

async function readGrants(client: KeystoneClient, roleId: string | undefined): Promise<readonly string[]> {
  if (roleId === undefined) return []
  const rows = await client.list(`/role_assignments?role.id=${roleId}`, 'role_assignments', KeystoneGrant)
  return rows.flatMap(({ user, scope: { project } }) =>
    user === undefined || project === undefined ? [] : [grantKey(roleId, user.id, project.id)],
  )
}
