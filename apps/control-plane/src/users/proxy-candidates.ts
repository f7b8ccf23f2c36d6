import { randomBytes } from 'node:crypto'
import type { ProxyUser } from '@roost/api-types/agent'
import { RoostError, UserName } from '@roost/api-types/rest'
import type { AgentRequests } from '../agents/requests.js'
import type { Candidate } from './candidate.js'

/** A node to whose proxy users are deployed. */
export interface Proxy {
  readonly id: number
  readonly hostname: string
}

/** The answer of one proxy. */
export interface ProxyUsers {
  readonly hostname: string
  readonly users: readonly ProxyUser[]
}

const answerMs = 20_000
const retryAfterSeconds = 15

/**
 * Asks every proxy of a cluster for the users that its operator has in tempauth. Each has to answer: a user that one of them has
 * with another key would have another password there. Throws `unavailable`.
 */
export async function askProxies(
  requests: Pick<AgentRequests, 'ask'>,
  proxies: readonly Proxy[],
): Promise<readonly ProxyUsers[]> {
  const salt = randomBytes(20).toString('hex')
  const ask = async ({ id, hostname }: Proxy) => {
    const answer = await requests.ask(id, 'proxy_users', { salt }, answerMs)
    if ('error' in answer) throw new RoostError('unavailable', `${hostname}: ${answer.error}`, { retryAfterSeconds })
    return { hostname, users: answer.result.users }
  }
  return Promise.all(proxies.map(ask))
}

/** Makes one list of the answers, and says where they differ. */
export function candidatesOf(answers: readonly ProxyUsers[]): readonly Candidate[] {
  const lines = new Map(answers.flatMap(({ users }) => users.map((user) => [user.line, user] as const)))
  return [...lines.values()].map((first) => candidateOf(first, answers))
}

function candidateOf(first: ProxyUser, answers: readonly ProxyUsers[]): Candidate {
  const { line, login, account, groups, file } = first
  const found = answers.map(({ hostname, users }) => ({ hostname, user: users.find((one) => one.line === line) }))
  return {
    login,
    domain: null,
    account,
    isSuperuser: groups.includes('.reseller_admin'),
    name: nameOf(login),
    source: file,
    problem: problemOf(first, found),
    passwordProblem: passwordProblemOf(first, found),
    key: line,
    readEnabled: async () => true,
    columns: { adoptedLine: line, adoptedGroups: groups, adoptedAccount: account },
  }
}

/** Returns a name for Roost: `bob` of `bob:bob`, `test-tester` of `test:tester`. */
function nameOf(login: string): string | null {
  const [account = '', user = ''] = login.split(':')
  const name = account === user ? user : `${account}-${user}`
  return UserName.safeParse(name).success ? name : null
}

type Found = readonly { readonly hostname: string; readonly user: ProxyUser | undefined }[]

function problemOf(first: ProxyUser, found: Found): string | null {
  const faulty = found.find(({ user }) => (user?.problem ?? null) !== null)
  if (faulty !== undefined) return `${faulty.hostname}: ${faulty.user?.problem}`
  const other = found.find(({ user }) => user !== undefined && user.groups.join(' ') !== first.groups.join(' '))
  return other === undefined
    ? null
    : `The proxy ${other.hostname} gives this user other groups than another one. Make the lines equal.`
}

function passwordProblemOf(first: ProxyUser, found: Found): string | null {
  const without = found.find(({ user }) => user === undefined)
  if (without !== undefined)
    return `The proxy ${without.hostname} has no line of this user. Adopt it with a new password, or add the line there.`
  const other = found.find(({ user }) => user?.key_mac !== first.key_mac)
  if (other === undefined) return null
  const own = found.find(({ user }) => user?.key_mac === first.key_mac)
  const names = found.filter((proxy) => proxy === own || proxy === other).map(({ hostname }) => hostname)
  return `The proxies ${names.join(' and ')} have different keys for this user. Adopt it with a new password, or make the lines equal.`
}
