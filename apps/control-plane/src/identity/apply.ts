import { counted, inParallel } from '@roost/runtime'
import type { DesiredIdentity, DesiredUser } from './desired.js'
import type { KeystoneClient } from './keystone/client.js'
import { listEc2Credentials, removeEc2Credential } from './keystone/ec2-credentials.js'
import { KeystoneError } from './keystone/errors.js'
import { Created, ownerField } from './keystone/objects.js'
import type { Change, IdentityChanges, UserPlan } from './plan.js'

export interface ApplyOptions {
  readonly client: KeystoneClient
  readonly desired: DesiredIdentity
  readonly changes: IdentityChanges
  /** Called when Keystone has a user as it should be. */
  readonly done: (user: DesiredUser, projectId: string) => Promise<void>
}

export interface ApplyOutcome {
  readonly state: 'applied' | 'failed' | 'rolled_back'
  readonly message: string
}

/** Requests that Keystone gets at once. */
const atOnce = 4

/**
 * Changes Keystone: rights are taken from all users before any are given. What was given to a user whose changes fail is undone,
 * what was taken never is.
 */
export async function applyIdentity(options: ApplyOptions): Promise<ApplyOutcome> {
  const { changes } = options
  const run = { ...options, undone: 0, kept: 0, lost: undefined }
  const revoking = changes.users.filter(({ revocations }) => revocations.length > 0)
  const faults = [...(await forEach(run, revoking, (one) => revokeRights(run, one)))]
  const failed = new Set(faults.map(({ name }) => name))
  const adding = changes.users.filter(({ name, user }) => user !== undefined && !failed.has(name))
  const domain = await createDomain(run)
  if ('id' in domain) faults.push(...(await forEach(run, adding, (one) => addRights(run, domain.id, one))))
  else faults.push(domain)
  if ('undo' in domain && run.kept === 0 && faults.length > 0) await domain.undo()
  return outcomeOf(run, faults, changes)
}

interface Run extends ApplyOptions {
  /** Users whose changes were undone, and users with changes that stay. */
  undone: number
  kept: number
  /** Set when Keystone stopped answering: nothing more is tried. */
  lost: KeystoneError | undefined
}

interface Fault {
  readonly name: string
  readonly message: string
}

async function forEach(run: Run, users: readonly UserPlan[], work: (one: UserPlan) => Promise<void>): Promise<Fault[]> {
  const faults = await inParallel(users, atOnce, async (one) => {
    if (run.lost !== undefined) throw run.lost
    try {
      await work(one)
    } catch (error) {
      if (error instanceof KeystoneError && error.status === undefined) run.lost = error
      throw error
    }
  })
  return faults.map(({ item, error }) => ({ name: item.name, message: withoutPassword(error, item.user) }))
}

/** Keystone may repeat a password that it refuses. */
function withoutPassword(error: Error, user: DesiredUser | undefined): string {
  if (!(error instanceof KeystoneError)) throw error
  return user === undefined || user.password === null ? error.message : error.message.replaceAll(user.password, '***')
}

async function revokeRights(run: Run, { user, revocations }: UserPlan): Promise<void> {
  for (const change of revocations) {
    await revokeRight(run, user, change)
    run.kept += 1
  }
}

async function revokeRight({ client }: Run, user: DesiredUser | undefined, change: Change): Promise<void> {
  if (change.kind === 'disable_user') return client.change(`/users/${change.userId}`, 'user', { enabled: false })
  if (change.kind === 'revoke')
    return client.remove(`/projects/${change.projectId}/users/${change.userId}/roles/${change.roleId}`)
  if (change.kind === 'set_password' && user !== undefined) return setPassword(client, change.userId, user)
}

async function setPassword(client: KeystoneClient, userId: string, user: DesiredUser): Promise<void> {
  // The keys of a user who was removed are not those of a new one of its name.
  if (user.knownPasswordRevision === null)
    for (const { access_key: key } of await listEc2Credentials(client, userId)) await removeEc2Credential(client, key)
  await client.change(`/users/${userId}`, 'user', { password: user.password })
}

type Domain = { readonly id: string; readonly undo?: () => Promise<void> } | Fault

/** Returns the domain of the users; creates it where it is missing. */
async function createDomain({ client, desired, changes }: Run): Promise<Domain> {
  if (!changes.createsDomain) return { id: changes.domainId ?? '' }
  const fields = { name: desired.domain, description: ownedBy(desired), enabled: true, [ownerField]: desired.owner }
  try {
    const { id } = await client.create('/domains', 'domain', fields, Created)
    return { id, undo: () => removeDomain(client, id) }
  } catch (error) {
    if (!(error instanceof KeystoneError)) throw error
    return { name: `domain ${desired.domain}`, message: error.message }
  }
}

/** Keystone removes only a domain that is disabled. */
async function removeDomain(client: KeystoneClient, id: string): Promise<void> {
  const path = `/domains/${id}`
  await undoQuietly(() => client.change(path, 'domain', { enabled: false }))
  await undoQuietly(() => client.remove(path))
}

function ownedBy({ owner }: DesiredIdentity): string {
  return `Managed by Roost, cluster ${owner}. Change it there.`
}

async function addRights(run: Run, domainId: string, plan: UserPlan): Promise<void> {
  const { user } = plan
  if (user === undefined) return
  const undo: (() => Promise<void>)[] = []
  const ids = { user: plan.userId, project: plan.projectId }
  try {
    for (const change of plan.additions) await addRight({ run, domainId, user, ids, undo }, change)
  } catch (error) {
    let remains = false
    for (const step of undo.toReversed()) remains = !(await undoQuietly(step)) || remains
    if (remains) run.kept += 1
    else run.undone += undo.length > 0 ? 1 : 0
    throw error
  }
  if (plan.additions.length > 0) run.kept += 1
  await run.done(user, ids.project ?? '')
}

interface Adding {
  readonly run: Run
  readonly domainId: string
  readonly user: DesiredUser
  readonly ids: { user: string | undefined; project: string | undefined }
  readonly undo: (() => Promise<void>)[]
}

async function addRight({ run, domainId, user, ids, undo }: Adding, change: Change): Promise<void> {
  const { client, desired } = run
  const common = { name: user.name, domain_id: domainId, description: ownedBy(desired), [ownerField]: desired.owner }
  if (change.kind === 'create_project') {
    const { id } = await client.create('/projects', 'project', { ...common, enabled: true }, Created)
    ids.project = id
    undo.push(() => client.remove(`/projects/${id}`))
  } else if (change.kind === 'create_user') {
    const more = { password: user.password, enabled: user.enabled, default_project_id: ids.project, options }
    const { id } = await client.create('/users', 'user', { ...common, ...more }, Created)
    ids.user = id
    undo.push(() => client.remove(`/users/${id}`))
  } else if (change.kind === 'grant') {
    const path = `/projects/${ids.project}/users/${ids.user}/roles/${change.roleId}`
    await client.put(path)
    undo.push(() => client.remove(path))
  } else if (change.kind === 'enable_user') {
    await client.change(`/users/${change.userId}`, 'user', { enabled: true })
    undo.push(() => client.change(`/users/${change.userId}`, 'user', { enabled: false }))
  } else if (change.kind === 'enable_project')
    await client.change(`/projects/${change.projectId}`, 'project', { enabled: true })
}

/** Its password is managed here: Keystone must not ask for another one at the first login or after a time. */
const options = { ignore_change_password_upon_first_use: true, ignore_password_expiry: true }

async function undoQuietly(step: () => Promise<void>): Promise<boolean> {
  try {
    await step()
    return true
  } catch {
    return false
  }
}

function outcomeOf({ undone, kept, lost }: Run, faults: readonly Fault[], changes: IdentityChanges): ApplyOutcome {
  const sentences = [...changes.conflicts, ...faults.map(({ name, message }) => `${name}: ${message}`)]
  const [first] = sentences
  if (first === undefined) return { state: 'applied', message: '' }
  const state = undone > 0 && kept === 0 && changes.conflicts.length === 0 ? 'rolled_back' : 'failed'
  if (lost !== undefined) return { state, message: lost.message }
  const more = sentences.length === 1 ? '' : ` (and ${counted(sentences.length - 1, 'more problem')})`
  return { state, message: `${first}${more}` }
}
