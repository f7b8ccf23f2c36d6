import type { PlannedObject } from '@roost/api-types/rest'
import type { DesiredIdentity, DesiredUser, RemovedUser } from './desired.js'
import { grantKey } from './found.js'
import type { FoundIdentity } from './found.js'
import { ownerField } from './keystone/objects.js'
import type { KeystoneProject, KeystoneUser } from './keystone/objects.js'

/** One change of an object in Keystone. Ids that are undefined are of objects that the same plan creates. */
export type Change =
  | { readonly kind: 'disable_user' | 'enable_user' | 'set_password'; readonly userId: string }
  | { readonly kind: 'revoke'; readonly roleId: string; readonly userId: string; readonly projectId: string }
  | { readonly kind: 'create_project' }
  | { readonly kind: 'enable_project'; readonly projectId: string }
  | { readonly kind: 'create_user' }
  | { readonly kind: 'grant'; readonly roleId: string }

/** What changes for one user: rights are taken first, of all users. */
export interface UserPlan {
  readonly name: string
  /** Undefined for a user that was removed here: it can no longer log in, and its project stays. */
  readonly user: DesiredUser | undefined
  readonly userId: string | undefined
  readonly projectId: string | undefined
  readonly revocations: readonly Change[]
  readonly additions: readonly Change[]
}

export interface IdentityChanges {
  readonly createsDomain: boolean
  readonly domainId: string | undefined
  readonly users: readonly UserPlan[]
  /** Sentences about what is not changed, since another program or person made it. */
  readonly conflicts: readonly string[]
}

/** Compares what should be with what is. Changes nothing, and never what others made. */
export function planIdentity(desired: DesiredIdentity, found: FoundIdentity): IdentityChanges {
  const { domain } = found
  if (domain !== undefined && domain[ownerField] !== desired.owner)
    return { createsDomain: false, domainId: domain.id, users: [], conflicts: [foreignDomain(desired.domain)] }
  const context = { desired, found, users: byKey(found.users), projects: byKey(found.projects) }
  const present = desired.users.map((user) => planUser(context, user))
  const own = desired.users.filter(({ adoptedId }) => adoptedId === null)
  const removed = found.users.filter((one) => isOurs(desired, one) && !own.some(({ name }) => name === one.name))
  return {
    createsDomain: domain === undefined && own.length > 0,
    domainId: domain?.id,
    users: [
      ...present.flatMap((one) => (typeof one === 'string' ? [] : [one])),
      ...removed.map((one) => planRemoved(context, one, context.projects.get(one.name.toLowerCase()))),
      ...desired.removed.flatMap((one) => planRemovedAdoption(context, one)),
    ],
    conflicts: present.filter((one) => typeof one === 'string'),
  }
}

interface Context {
  readonly desired: DesiredIdentity
  readonly found: FoundIdentity
  readonly users: ReadonlyMap<string, KeystoneUser>
  readonly projects: ReadonlyMap<string, KeystoneProject>
}

/** By the name without case: some databases of Keystone compare names so. */
function byKey<T extends { readonly name: string }>(objects: readonly T[]): ReadonlyMap<string, T> {
  return new Map(objects.map((one) => [one.name.toLowerCase(), one]))
}

function isOurs({ owner }: DesiredIdentity, object: KeystoneUser | KeystoneProject): boolean {
  return object[ownerField] === owner
}

/** Returns the changes of a user, or why there are none. */
function planUser(context: Context, user: DesiredUser): UserPlan | string {
  if (user.adoptedId !== null) return planAdopted(context, user)
  const key = user.name.toLowerCase()
  const [known, project] = [context.users.get(key), context.projects.get(key)]
  const conflict = conflictOf(context, user, known, project)
  if (conflict !== undefined) return conflict
  return {
    name: user.name,
    user,
    userId: known?.id,
    projectId: project?.id,
    revocations: known === undefined ? [] : revocationsOf(context, user, known, project),
    additions: additionsOf(context, user, known, project),
  }
}

/** Compares an adopted user by its id, whatever its name and its domain are. */
function planAdopted(context: Context, user: DesiredUser): UserPlan | string {
  const { users, projects } = context.found.adopted
  const [known, project] = [
    users.find(({ id }) => id === user.adoptedId),
    projects.find(({ id }) => id === user.projectId),
  ]
  if (known === undefined || project === undefined)
    return `The ${known === undefined ? 'user' : 'project'} of '${user.name}', which was adopted, is no longer in Keystone. Restore it there, or remove the user from Roost.`
  return {
    name: user.name,
    user,
    userId: known.id,
    projectId: project.id,
    revocations: revocationsOf(context, user, known, project),
    additions: additionsOf(context, user, known, project),
  }
}

function planRemovedAdoption(context: Context, { userId, projectId }: RemovedUser): readonly UserPlan[] {
  const { users, projects } = context.found.adopted
  const known = users.find(({ id }) => id === userId)
  return known === undefined
    ? []
    : [
        planRemoved(
          context,
          known,
          projects.find(({ id }) => id === projectId),
        ),
      ]
}

function revocationsOf(
  { found }: Context,
  user: DesiredUser,
  known: KeystoneUser,
  project: KeystoneProject | undefined,
): Change[] {
  const changes: Change[] = []
  if (known.enabled && !user.enabled) changes.push({ kind: 'disable_user', userId: known.id })
  if (!user.isSuperuser) changes.push(...revokeReseller(found, known, project))
  if (user.knownPasswordRevision !== user.passwordRevision) changes.push({ kind: 'set_password', userId: known.id })
  return changes
}

function additionsOf(
  { found }: Context,
  user: DesiredUser,
  known: KeystoneUser | undefined,
  project: KeystoneProject | undefined,
): Change[] {
  const changes: Change[] = []
  if (project === undefined) changes.push({ kind: 'create_project' })
  else if (!project.enabled) changes.push({ kind: 'enable_project', projectId: project.id })
  if (known === undefined) changes.push({ kind: 'create_user' })
  for (const roleId of rolesOf(found, user))
    if (!hasGrant(found, roleId, known, project)) changes.push({ kind: 'grant', roleId })
  // Last, so that nothing of it works before all of it does.
  if (known !== undefined && !known.enabled && user.enabled) changes.push({ kind: 'enable_user', userId: known.id })
  return changes
}

/** Returns the ids of the roles that a user should have on its project. */
function rolesOf({ roleId, resellerRoleId }: FoundIdentity, { isSuperuser }: DesiredUser): readonly string[] {
  return isSuperuser && resellerRoleId !== undefined ? [roleId, resellerRoleId] : [roleId]
}

function planRemoved({ found }: Context, known: KeystoneUser, project: KeystoneProject | undefined): UserPlan {
  const disable: Change[] = known.enabled ? [{ kind: 'disable_user', userId: known.id }] : []
  const revocations = [...disable, ...revokeReseller(found, known, project)]
  return { name: known.name, user: undefined, userId: known.id, projectId: project?.id, revocations, additions: [] }
}

function revokeReseller(
  found: FoundIdentity,
  { id: userId }: KeystoneUser,
  project: KeystoneProject | undefined,
): Change[] {
  const { resellerRoleId: roleId } = found
  if (roleId === undefined || project === undefined || !found.grants.has(grantKey(roleId, userId, project.id)))
    return []
  return [{ kind: 'revoke', roleId, userId, projectId: project.id }]
}

function hasGrant(
  { grants }: FoundIdentity,
  roleId: string,
  user: KeystoneUser | undefined,
  project: KeystoneProject | undefined,
) {
  return user !== undefined && project !== undefined && grants.has(grantKey(roleId, user.id, project.id))
}

function conflictOf(
  { desired, found }: Context,
  { name, projectId, password }: DesiredUser,
  known: KeystoneUser | undefined,
  project: KeystoneProject | undefined,
): string | undefined {
  if (password === null)
    return `Roost has no password of '${name}', who was adopted elsewhere. Set one with "roost user set".`
  for (const [noun, object] of [
    ['user', known],
    ['project', project],
  ] as const) {
    if (object === undefined) continue
    if (!isOurs(desired, object))
      return `Domain '${desired.domain}' has a ${noun} '${object.name}' that Roost did not create. Rename or remove it in Keystone, or give the user '${name}' another name.`
    if (object.name !== name)
      return `The ${noun} '${object.name}' of a removed user differs from '${name}' only in case. Remove it in Keystone, or choose another name.`
  }
  const isLost = projectId !== null && !found.projects.some(({ id }) => id === projectId)
  return isLost
    ? `The project of '${name}' (${projectId}) is no longer in Keystone, so its account AUTH_${projectId} cannot be reached. Restore Keystone, or remove the user and create it again, which begins with a new account.`
    : undefined
}

function foreignDomain(name: string): string {
  return `Keystone has a domain '${name}' that Roost did not create for this cluster. Choose another name with "roost cluster set-identity --domain".`
}

/** Returns the changes as a plan shows them. */
export function plannedObjects(
  desired: DesiredIdentity,
  changes: IdentityChanges,
  found: FoundIdentity,
): PlannedObject[] {
  const roleName = (roleId: string) => (roleId === found.resellerRoleId ? desired.resellerRole : desired.role)
  const domain: PlannedObject[] = changes.createsDomain
    ? [{ type: 'domain', name: desired.domain, change: 'create', detail: '' }]
    : []
  const ofUser = ({ name, user, revocations, additions }: UserPlan) =>
    [...revocations, ...additions].map((change) => plannedObject(name, user, change, roleName))
  return [...domain, ...changes.users.flatMap(ofUser)]
}

function plannedObject(
  name: string,
  user: DesiredUser | undefined,
  change: Change,
  roleName: (roleId: string) => string,
): PlannedObject {
  if (change.kind === 'grant' || change.kind === 'revoke')
    return { type: 'role', name, change: change.kind, detail: roleName(change.roleId) }
  const [type, what] = shown[change.kind]
  return { type, name, change: what, detail: detailOf(change.kind, user) }
}

type Shown = readonly [PlannedObject['type'], PlannedObject['change']]

const shown: Readonly<Record<Exclude<Change['kind'], 'grant' | 'revoke'>, Shown>> = {
  create_project: ['project', 'create'],
  enable_project: ['project', 'enable'],
  create_user: ['user', 'create'],
  enable_user: ['user', 'enable'],
  disable_user: ['user', 'disable'],
  set_password: ['user', 'set_password'],
}

function detailOf(kind: Change['kind'], user: DesiredUser | undefined): string {
  if (kind === 'create_user' && user?.enabled === false) return 'disabled'
  return kind === 'disable_user' && user === undefined ? 'removed in Roost' : ''
}
