import type { Clock } from '@roost/runtime'
import type { AgentRequests, NodeChannel } from '../agents/requests.js'
import type { Ending, EndingStore } from './ending-store.js'

/** Whether tokens of users who lost rights are accepted anywhere. */
export type EndingOutcome =
  | { readonly state: 'done' }
  /** A proxy may accept them until then, and no longer. */
  | { readonly state: 'waiting'; readonly until: Date; readonly message: string }
  | { readonly state: 'failed'; readonly message: string }

export interface TokenEndings {
  /** Records users, before and after their rights are taken in Keystone: what a proxy validated until then must end. */
  add(clusterId: number, users: readonly string[]): Promise<void>
  /** Has the agents of the cluster's proxies remove the tokens that these have cached. */
  end(clusterId: number): Promise<EndingOutcome>
  /** Does what could not be done before; for jobs that have ended. */
  retry(): Promise<void>
}

export interface TokenEndingsOptions {
  readonly store: EndingStore
  readonly requests: Pick<AgentRequests, 'ask'>
  readonly channel: Pick<NodeChannel, 'isConnected' | 'mayReconnect'>
  readonly clock: Pick<Clock, 'now'>
  /** Ends waiting for answers; what was recorded is done by the next process. */
  readonly stopping: AbortSignal
}

/** Two passes over the memcached servers of a proxy, at the same time. */
const deadlineMs = 150_000
/** As long as a deployment waits for a node. */
const longestWaitMs = 600_000
const reconnectMs = 5_000
/** No token that Keystone issued before is valid, or cached, after this. */
const longestTokenMs = 86_400_000
/** An answer of Keystone that was on its way when rights were taken is cached as late as this. */
const validationMs = 5_000

const withoutProxies =
  'Keystone has the change, but no node of this cluster runs a proxy, so that no agent can end what proxies have cached: they accept a token that they have validated before for token_cache_time of their authtoken (300 s unless set). Enroll the proxies and deploy again.'

export function createTokenEndings(options: TokenEndingsOptions): TokenEndings {
  const { store, clock } = options
  const end = async (clusterId: number, isRetry: boolean): Promise<EndingOutcome> => {
    await store.remove(clusterId, new Date(clock.now() - longestTokenMs), false)
    const endings = await store.find(clusterId)
    const last = endings.reduce((latest, { since }) => Math.max(latest, since.getTime()), 0)
    if (last === 0) return { state: 'done' }
    const proxies = await store.proxies(clusterId)
    if (proxies.length === 0) return { state: 'failed', message: withoutProxies }
    const answers = await Promise.all(proxies.map((proxy) => askProxy(options, proxy, endings, last)))
    const outcome = outcomeOf(answers, clock.now())
    if (outcome.state === 'done') await store.remove(clusterId, new Date(last), isRetry)
    return outcome
  }
  return {
    add: (clusterId, users) =>
      users.length === 0 ? Promise.resolve() : store.add(clusterId, users, new Date(clock.now())),
    end: (clusterId) => end(clusterId, false),
    async retry() {
      for (const clusterId of await store.clusters()) await end(clusterId, true)
    },
  }
}

interface ProxyAnswer {
  readonly hostname: string
  /** Unix milliseconds until which it may accept tokens; 0 where they are ended, null while its agent is reconnecting. */
  readonly until: number | null
  /** Why they are not ended. */
  readonly reason: string
  readonly isReached: boolean
}

async function askProxy(
  { requests, channel, stopping }: TokenEndingsOptions,
  { id, hostname }: { readonly id: number; readonly hostname: string },
  endings: readonly Ending[],
  last: number,
): Promise<ProxyAnswer> {
  if (!channel.isConnected(id) && channel.mayReconnect(id))
    return { hostname, until: null, reason: 'its agent is reconnecting', isReached: true }
  const users = endings.map(({ user }) => user)
  const answer = await unlessStopped(stopping, requests.ask(id, 'end_cached_tokens', { users }, deadlineMs))
  if ('error' in answer) return { hostname, until: 0, reason: answer.error, isReached: false }
  const { remain_s: remain, notes } = answer.result
  return {
    hostname,
    until: remain === 0 ? 0 : last + remain * 1000 + validationMs,
    reason: notes.join('; '),
    isReached: true,
  }
}

const stopped = { error: 'The control plane is stopping.' } as const

async function unlessStopped<T>(signal: AbortSignal, asking: Promise<T>): Promise<T | typeof stopped> {
  if (signal.aborted) return stopped
  const asked = new AbortController()
  const stop = new Promise<typeof stopped>((resolve) =>
    signal.addEventListener('abort', () => resolve(stopped), { once: true, signal: asked.signal }),
  )
  try {
    return await Promise.race([asking, stop])
  } finally {
    asked.abort()
  }
}

function outcomeOf(answers: readonly ProxyAnswer[], now: number): EndingOutcome {
  const timed = answers.map((answer) => ({ ...answer, until: answer.until ?? now + reconnectMs }))
  const late = timed.filter(({ until }) => until > now)
  const tooLate = late.filter(({ until }) => until > now + longestWaitMs)
  const lost = answers.filter(({ isReached }) => !isReached)
  if (lost.length + tooLate.length > 0) return { state: 'failed', message: failure(answers.length, lost, tooLate) }
  const until = new Date(Math.max(0, ...late.map((one) => one.until)))
  if (late.length === 0) return { state: 'done' }
  const message = `The users are as they should be in Keystone. Until ${until.toISOString()} tokens of before may be accepted by ${named(late)}.`
  return { state: 'waiting', until, message }
}

interface TimedAnswer extends ProxyAnswer {
  readonly until: number
}

function failure(total: number, lost: readonly ProxyAnswer[], late: readonly TimedAnswer[]): string {
  const notReached = lost.length === 0 ? '' : ` Not reached: ${named(lost)}.`
  const accepted = late.map(
    ({ hostname, until, reason }) =>
      ` ${hostname} may accept tokens of before until ${new Date(until).toISOString()} (${reason}).`,
  )
  return `Users who lost rights are shut out on ${total - lost.length - late.length} of ${total} proxies.${notReached}${accepted.join('')} Roost tries again every minute.`
}

function named(answers: readonly ProxyAnswer[]): string {
  return answers.map(({ hostname, reason }) => `${hostname} (${reason.replace(/\.$/, '')})`).join(', ')
}
