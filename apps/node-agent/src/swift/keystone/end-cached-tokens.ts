import type { RequestResult } from '@roost/api-types/agent'
import { deadlineMs, removeItems } from '../users/cached-items.js'
import { withMemcached } from '../users/memcached.js'
import type { Endpoint } from '../users/proxy-settings.js'
import type { TokenCache } from './token-caches.js'

/** A token with the catalog of a large cloud; listings of shards may have a megabyte. */
const largestToken = 65_536

/**
 * Removes what proxies have cached of users of Keystone, by their ids, so that they ask Keystone again. It removes twice: an answer
 * that was under way during the first time is cached after it. Says for how long tokens of before may still be accepted.
 */
export async function endCachedTokens(
  caches: readonly TokenCache[],
  users: readonly string[],
  pause: () => Promise<void>,
): Promise<RequestResult<'end_cached_tokens'>> {
  const servers = new Map(caches.flatMap(({ memcached }) => memcached.map((one) => [nameOf(one), one] as const)))
  const ids = new Set(users)
  const removeAll = () => Promise.all([...servers].map(([name, server]) => removeFrom(name, server, ids)))
  const first = servers.size > 0 ? await removeAll() : []
  if (servers.size > 0) await pause()
  const second = servers.size > 0 ? await removeAll() : []
  const faults = new Map(second.flatMap(({ name, fault }) => (fault === undefined ? [] : [[name, fault] as const])))
  const kept = caches.filter(
    ({ hidden, memcached }) => hidden !== null || memcached.some((one) => faults.has(nameOf(one))),
  )
  return {
    ended: [...first, ...second].reduce((sum, { ended }) => sum + ended, 0),
    remain_s: Math.max(0, ...kept.map(({ seconds }) => seconds)),
    notes: [...new Set([...kept.flatMap(({ hidden }) => hidden ?? []), ...faults.values()])],
  }
}

interface Removal {
  readonly name: string
  readonly ended: number
  readonly fault?: string
}

async function removeFrom(name: string, server: Endpoint, ids: ReadonlySet<string>): Promise<Removal> {
  const isStale = (value: string) => (value.match(/[\w-]+/g) ?? []).some((id) => ids.has(id))
  try {
    return await withMemcached(server, deadlineMs, async (memcached) => ({
      name,
      ended: await removeItems(server, memcached, { keyOf, isStale }),
    }))
  } catch (error) {
    return { name, ended: 0, fault: `memcached ${name} was not reached (${(error as Error).message})` }
  }
}

/** Keys of Swift's client are hashed, those of keystonemiddleware's own have a slash, which the list encodes. */
function keyOf(item: string): string | undefined {
  const [, key = '', size] = /^key=(\S+) .*\bsize=(\d+)/.exec(item) ?? []
  return Number(size) <= largestToken ? decodeURIComponent(key) : undefined
}

function nameOf({ host, port }: Endpoint): string {
  return `${host}:${port}`
}
