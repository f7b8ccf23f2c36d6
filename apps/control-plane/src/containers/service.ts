import type { StorageLogin } from '@roost/api-types/agent'
import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { Containers } from '@roost/api-types/rest'
import type { ContainerQuery, ContainerService } from '@roost/api-types/rpc'
import { concurrencyLimit } from '@roost/runtime'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { SecretError } from '../secrets/secrets.js'
import { refused, unavailable } from './swift-error.js'
import { logIn, parse, sendToStorage } from './swift-login.js'
import type { SwiftSession } from './swift-login.js'

export interface ContainerServiceOptions {
  /** The storage login of a cluster with its key; null until it is set. Rejects with a SecretError where it cannot be decrypted. */
  readonly loginOf: (clusterId: number) => Promise<StorageLogin | null>
}

/** Whoever types a name asks the storage once for each letter, and not again for the same one. */
const keptMs = 15_000
const maxKept = 500
/** Tokens live for hours, as a rule; one that has ended is replaced. */
const tokenMs = 300_000
const atOnce = 4

const Listing = z.array(z.object({ name: z.string(), count: z.number(), bytes: z.number() }))

/** Asks the Swift of a cluster for names of containers, with the login with which gateways mount them. */
export function createContainerService({ loginOf }: ContainerServiceOptions): ContainerService {
  const answers = new LRUCache<string, Promise<Containers>>({ max: maxKept, ttl: keptMs })
  const sessions = new LRUCache<string, Promise<SwiftSession>>({ max: maxKept, ttl: tokenMs })
  const limited = concurrencyLimit(atOnce)

  function sessionOf(login: StorageLogin, isNew: boolean): Promise<SwiftSession> {
    const key = JSON.stringify(login)
    if (isNew) sessions.delete(key)
    return remembered(sessions, key, () => logIn(login))
  }

  async function read(
    clusterId: number,
    login: StorageLogin,
    { q, limit }: Omit<ContainerQuery, 'cluster'>,
  ): Promise<Containers> {
    const ask = async (isNew: boolean) => {
      const { accountUrl, token } = await sessionOf(login, isNew)
      // One more than is asked for shows whether there are more.
      const query = new URLSearchParams({ format: 'json', prefix: q, limit: String(limit + 1) })
      const url = `${accountUrl}?${query.toString()}`
      return { url, answer: await sendToStorage(login, { url, headers: { 'x-auth-token': token } }) }
    }
    const first = await ask(false)
    const { url, answer } = first.answer.status === 401 ? await ask(true) : first
    // An account without containers: Swift makes it with the first write.
    if (answer.status === 204 || answer.status === 404) return containersOf(clusterId, [], limit)
    if (answer.status !== 200) throw refused(url, answer.status)
    return containersOf(clusterId, parse(Listing, url, answer.text), limit)
  }

  return {
    async list({ cluster, ...query }) {
      const login = await orUnavailable(loginOf(cluster))
      if (login === null)
        throw new RoostError(
          'not_found',
          'This cluster has no storage login. Set it with roost cluster set-storage, or in the console at System › Clusters.',
        )
      const key = JSON.stringify([cluster, query, login])
      return remembered(answers, key, () => limited(() => read(cluster, login, query)))
    },
  }
}

async function orUnavailable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof SecretError) throw unavailable(error.message)
    throw error
  }
}

/** Returns what is known, or asks; all who ask meanwhile get the same answer. Errors are not kept. */
function remembered<T>(known: LRUCache<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const found = known.get(key)
  if (found !== undefined) return found
  const asked = ask()
  known.set(key, asked)
  asked.catch(() => known.delete(key))
  return asked
}

function containersOf(clusterId: number, listed: z.infer<typeof Listing>, limit: number): Containers {
  return {
    cluster: resourceUri('clusters', clusterId),
    containers: listed
      .slice(0, limit)
      .map(({ name, count, bytes }) => ({ name, object_count: count, bytes_used: bytes })),
    is_complete: listed.length <= limit,
  }
}
