import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InForceFile } from './in-force.js'
import { withMemcached, type Memcached } from './memcached.js'
import type { Endpoint, ProxySettings } from './proxy-settings.js'

export interface EndedTokens {
  readonly ended: number
  /** One sentence for each server that was not reached: its tokens may remain valid until they expire. */
  readonly notReached: readonly string[]
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
 * are found by their values, which have the login. The other servers do not wait for one that is unavailable.
 */
export async function endTokens(
  { memcached, prefix }: Pick<ProxySettings, 'memcached' | 'prefix'>,
  logins: readonly string[],
): Promise<EndedTokens> {
  if (logins.length === 0) return { ended: 0, notReached: [] }
  const concerned = new Set(logins)
  const users = logins.map((login) => hashed(`${prefix}/user/${login}`))
  const results = await Promise.all(memcached.map((server) => endOn(server, concerned, users)))
  return {
    ended: results.reduce((sum, { ended }) => sum + ended, 0),
    notReached: results.flatMap(({ fault }) => fault ?? []),
  }
}

/**
 * Ends again the tokens of users that the deployed generation changed or removed. What could not be reached is stored, and is
 * done later. Throws a sentence.
 */
export async function endTokensOf(
  generation: number,
  kept: InForceFile,
  settings: () => ProxySettings,
): Promise<EndedTokens> {
  const inForce = await kept.read()
  if (inForce?.generation !== generation) throw new Error(`Generation ${generation} is not in force on this node.`)
  const logins = inForce.ended ?? []
  const result = await endTokens(settings(), logins)
  if (result.notReached.length > 0) await setPending(kept, generation, logins)
  return result
}

/** Ends the tokens that an unavailable server kept. Returns null if there are none. Throws a sentence. */
export async function endPendingTokens(
  kept: InForceFile,
  settings: () => ProxySettings,
): Promise<(EndedTokens & { readonly generation: number; readonly logins: readonly string[] }) | null> {
  const inForce = await kept.read()
  const { pending: logins = [], generation = 0 } = inForce ?? {}
  if (inForce === null || logins.length === 0) return null
  const result = await endTokens(settings(), logins)
  if (result.notReached.length === 0) await setPending(kept, generation, [])
  return { ...result, generation, logins }
}

/** Another generation may have come into force in the meantime, and has its own. */
async function setPending(kept: InForceFile, generation: number, pending: readonly string[]): Promise<void> {
  const inForce = await kept.read()
  if (inForce?.generation === generation) await kept.write({ ...inForce, pending })
}

async function endOn(
  server: Endpoint,
  logins: ReadonlySet<string>,
  users: readonly string[],
): Promise<{ ended: number; fault?: string }> {
  try {
    return await withMemcached(server, deadlineMs, async (memcached) => {
      for (let i = 0; i < users.length; i += batch) await memcached.remove(users.slice(i, i + batch))
      return { ended: await endTokensOn(server, memcached, logins) }
    })
  } catch (error) {
    const reason = (error as Error).message
    return {
      ended: 0,
      fault: `Not reached: memcached ${server.host}:${server.port} (${reason}). Tokens of ${nameOf(logins)} may remain valid there until they expire.`,
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
