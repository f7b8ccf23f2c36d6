import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InForceFile } from './in-force.js'
import { withMemcached, type Memcached } from './memcached.js'
import type { Endpoint, ProxySettings } from './proxy-settings.js'

export interface EndedTokens {
  readonly ended: number
  /** One sentence for each server whose tokens may remain valid. */
  readonly notes: readonly string[]
}

/** Items of one request. */
const batch = 100
/** The time limit for one server, also with millions of items. */
const deadlineMs = 60_000
/** The limit for an item with its header: a token has a tenth of it, a listing of shards may have a megabyte. */
const largestToken = 4096
const busyRetryMs = 200
const mostLists = 5

/**
 * Ends the tokens of logins. Tempauth's entry of a user has only its latest token, because each proxy overwrites it; older tokens
 * are found by their values, which have the login. An unavailable server is a note, not a failure.
 */
export async function endTokens(
  { memcached, prefix }: Pick<ProxySettings, 'memcached' | 'prefix'>,
  logins: readonly string[],
): Promise<EndedTokens> {
  if (logins.length === 0) return { ended: 0, notes: [] }
  const concerned = new Set(logins)
  const users = logins.map((login) => hashed(`${prefix}/user/${login}`))
  const results = await Promise.all(memcached.map((server) => endOn(server, concerned, users)))
  return {
    ended: results.reduce((sum, { ended }) => sum + ended, 0),
    notes: results.flatMap(({ note }) => note ?? []),
  }
}

/** Ends again the tokens of users that the deployed generation changed or removed. Throws a sentence. */
export async function endTokensOf(
  generation: number,
  kept: InForceFile,
  settings: () => ProxySettings,
): Promise<{ ended: number; notes: string[] }> {
  const inForce = await kept.read()
  if (inForce?.generation !== generation) throw new Error(`Generation ${generation} is not in force on this node.`)
  const { ended, notes } = await endTokens(settings(), inForce.ended ?? [])
  return { ended, notes: [...notes] }
}

async function endOn(
  server: Endpoint,
  logins: ReadonlySet<string>,
  users: readonly string[],
): Promise<{ ended: number; note?: string }> {
  try {
    return await withMemcached(server, deadlineMs, async (memcached) => {
      for (let i = 0; i < users.length; i += batch) await memcached.remove(users.slice(i, i + batch))
      return { ended: await endTokensOn(server, memcached, logins) }
    })
  } catch (error) {
    const reason = (error as Error).message
    return {
      ended: 0,
      note: `Tokens of ${nameOf(logins)} on the memcached server ${server.host}:${server.port} may remain valid until they expire: ${reason}.`,
    }
  }
}

/** Reads the list until it has none of these tokens: it misses items that memcached is moving. */
async function endTokensOn(server: Endpoint, memcached: Memcached, logins: ReadonlySet<string>): Promise<number> {
  let ended = 0
  for (let list = 0; list < mostLists; list++) {
    const found = await endListed(server, memcached, logins)
    if (found === 0) break
    ended += found
  }
  return ended
}

/** Reads the list on a separate connection, only as fast as its items are checked, so that it is never complete in memory. */
async function endListed(server: Endpoint, memcached: Memcached, logins: ReadonlySet<string>): Promise<number> {
  let ended = 0
  const end = async (keys: readonly string[]) => {
    const values = await memcached.get(keys)
    const stale = [...values].filter(([, value]) => logins.has(loginOf(value) ?? '')).map(([key]) => key)
    if (stale.length > 0) ended += await memcached.remove(stale)
  }
  await withDump(server, async (items) => {
    let keys: string[] = []
    for await (const item of items) {
      const key = keyOf(item)
      if (key === undefined) continue
      keys.push(key)
      if (keys.length === batch) await end(keys.splice(0))
    }
    if (keys.length > 0) await end(keys)
  })
  return ended
}

/** Waits for the dump of another proxy's agent: a server runs one at a time. */
async function withDump(server: Endpoint, read: (items: AsyncIterable<string>) => Promise<void>): Promise<void> {
  const end = performance.now() + deadlineMs
  for (;;) {
    try {
      return await withMemcached(server, deadlineMs, (memcached) => read(memcached.items()))
    } catch (error) {
      if (!(error as Error).message.startsWith('BUSY') || performance.now() > end) throw error
      await sleep(busyRetryMs)
    }
  }
}

/** Returns the key of an item that may be a token: Swift hashes its keys, and a token is small. */
function keyOf(item: string): string | undefined {
  const [, key, size] = /^key=([0-9a-f]{32}) .*\bsize=(\d+)/.exec(item) ?? []
  return Number(size) <= largestToken ? key : undefined
}

/** Returns the login of a token: tempauth stores `[expires, "account,account:user,groups…"]`. */
function loginOf(value: string): string | undefined {
  if (!value.startsWith('[')) return undefined
  try {
    const [, groups] = JSON.parse(value) as readonly unknown[]
    return typeof groups === 'string' ? groups.split(',')[1] : undefined
  } catch {
    return undefined
  }
}

/** Hashes a key as Swift's client does. */
function hashed(key: string): string {
  return createHash('md5').update(key).digest('hex')
}

function nameOf(logins: ReadonlySet<string>): string {
  const [first = ''] = logins
  return logins.size === 1 ? first : `${first} and ${logins.size - 1} more`
}
