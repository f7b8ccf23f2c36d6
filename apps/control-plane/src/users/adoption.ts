import { userLineKey } from '@roost/api-types/agent'
import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { AdoptableUser, AdoptionInput } from '@roost/api-types/rest'
import type { UserAdoptionService } from '@roost/api-types/rpc'
import type { AgentRequests } from '../agents/requests.js'
import type { Writes } from '../database/writes.js'
import type { Secrets } from '../secrets/secrets.js'
import { found } from '../services/errors.js'
import { fieldError } from '../services/field-errors.js'
import { requireAdmission } from './admission.js'
import type { UserStore } from './store.js'
import type { Candidate } from './candidate.js'
import { askProxies, candidatesOf } from './proxy-candidates.js'
import type { AdoptionStore } from './adoption-store.js'

export interface UserAdoptionOptions {
  readonly store: AdoptionStore
  readonly users: Pick<UserStore, 'admit' | 'insert' | 'forgetRemoved'>
  readonly requests: Pick<AgentRequests, 'ask'>
  /** Reads the users of a cluster on Keystone that Roost did not create. Throws `unavailable`. */
  readonly readIdentity: (clusterId: number) => Promise<readonly Candidate[]>
  readonly writes: Writes
  readonly secrets: Secrets
}

const withoutProxies =
  'No node of this cluster runs a proxy and is approved for it. Enroll a proxy, or set the identity service of the cluster.'

/** Makes users of Roost of those that others made. Only the record is made: the next deployment takes the user over. */
export function createUserAdoption(options: UserAdoptionOptions): UserAdoptionService {
  const { store, users, writes, secrets } = options

  async function read(clusterId: number): Promise<readonly Candidate[]> {
    const { hasIdentity, proxies, adopted } = found(await store.find(clusterId))
    if (!hasIdentity && proxies.length === 0) throw new RoostError('unavailable', withoutProxies)
    const all = hasIdentity
      ? await options.readIdentity(clusterId)
      : candidatesOf(await askProxies(options.requests, proxies))
    return all
      .filter(({ key, columns }) => !adopted.has(hasIdentity ? `${key}/${columns.projectId}` : key))
      .toSorted(byLogin)
  }

  return {
    async list(clusterId, { limit, offset }) {
      const all = await read(clusterId)
      return { total: all.length, objects: all.slice(offset, offset + limit).map((one) => shown(clusterId, one)) }
    },
    async adopt(clusterId, input, caller) {
      const candidate = choose(await read(clusterId), input)
      const name = input.user ?? candidate.name
      if (name === null) throw fieldError({ user: ['This login cannot be a name in Roost. Give another one.'] })
      const { key, columns, isSuperuser } = candidate
      const enabled = await candidate.readEnabled()
      const isLine = columns.adoptedLine !== undefined
      const keys = { clusterId, nameKey: name.toLowerCase(), lineKey: isLine ? key.toLowerCase() : userLineKey(name) }
      const password = input.password === undefined ? null : secrets.seal('user-password', input.password)
      // Keystone has a password already: that of revision 1, unless another one is given.
      const identityPasswordRevision = isLine ? null : password === null ? 1 : 0
      return writes.run(caller, async (tx) => {
        await requireAdmission(users, tx, keys, clusterId)
        const row = { ...keys, ...columns, name, password, isSuperuser, enabled, identityPasswordRevision }
        const user = await users.insert(tx, { ...row, setName: input.set ?? null })
        await users.forgetRemoved(tx, clusterId, key)
        const changes = changesOf(candidate, name, input)
        const result = input.password === undefined ? user : { ...user, password: input.password }
        return { result, audit: { action: 'adopt', resource: 'users', resourceId: Number(user.id), changes } }
      })
    },
  }
}

function changesOf({ login, account }: Candidate, user: string, { password }: AdoptionInput) {
  const changes = { login: [null, login], account: [null, account], user: [null, user] } as const
  return password === undefined ? changes : { ...changes, password: ['***', '***'] }
}

function byLogin(one: Candidate, other: Candidate): number {
  const [a, b] = [`${one.login} ${one.account}`, `${other.login} ${other.account}`]
  return a < b ? -1 : a > b ? 1 : 0
}

function shown(clusterId: number, candidate: Candidate): AdoptableUser {
  const { login, domain, account, isSuperuser, name, source, problem, passwordProblem } = candidate
  return {
    cluster: resourceUri('clusters', clusterId),
    login,
    domain,
    account,
    is_superuser: isSuperuser,
    user: name,
    source,
    problem: problem ?? passwordProblem,
  }
}

/** Returns the one that the input names. Throws `invalid` unless it is one, and can be adopted. */
function choose(all: readonly Candidate[], { login, account, domain, password }: AdoptionInput): Candidate {
  const named = all.filter((one) => one.login === login)
  const [candidate, other] = named.filter(
    (one) => (account === undefined || one.account === account) && (domain === undefined || one.domain === domain),
  )
  if (candidate === undefined) throw fieldError({ login: [notFound(login, named)] })
  if (other !== undefined)
    throw fieldError({ account: [`Several users log in as '${login}'. Give one of ${accountsOf(named)}.`] })
  const problem = candidate.problem ?? (password === undefined ? candidate.passwordProblem : null)
  if (problem !== null) throw fieldError({ login: [problem] })
  return candidate
}

function notFound(login: string, named: readonly Candidate[]): string {
  if (named.length > 0) return `'${login}' is not in this account and domain, but in ${accountsOf(named)}.`
  return `The cluster has no user '${login}' that can be adopted. See "roost user adoptable".`
}

function accountsOf(candidates: readonly Candidate[]): string {
  return candidates
    .slice(0, 10)
    .map(({ account, domain }) => (domain === null ? account : `${account} (domain ${domain})`))
    .join(', ')
}
