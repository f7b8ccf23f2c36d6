import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InForceFile } from './in-force.js'
import { withMemcached, type Memcached } from './memcached.js'
import type { Endpoint, ProxySettings } from './proxy-settings.js'

export interface EndedTokens {
  readonly ended: number
  /** One sentence for each server whose tokens may live on. */
  readonly notes: readonly string[]
}

/** Items of one question. */
const batch = 100
/** One server's share of a deployment's time, also with millions of items. */
const deadlineMs = 60_000
/** An item of memcached with its header; a token of ours has a tenth of it, a listing of shards may have a megabyte. */
const largestToken = 4096
const busyRetryMs = 200
const mostLists = 5

/**
 * Ends the tokens of logins. Tempauth leads from a user only to its latest token, because each proxy overwrites that entry;
 * older tokens are found by their values, which name the login. A server that is away is a note and no failure.
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

/** Ends the tokens of the users that the generation in force changed or removed, once more. Throws a sentence. */
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
      note: `Tokens of ${nameOf(logins)} on the memcached server ${server.host}:${server.port} may live until they expire: ${reason}.`,
    }
  }
}

/** A list misses items that memcached moves meanwhile: it is read again until none of ours is in it. */
async function endTokensOn(server: Endpoint, memcached: Memcached, logins: ReadonlySet<string>): Promise<number> {
  let ended = 0
  for (let list = 0; list < mostLists; list++) {
    const found = await endListed(server, memcached, logins)
    if (found === 0) break
    ended += found
  }
  return ended
}

/** The list comes on a connection of its own, and only as fast as its items are read: it is never whole in memory. */
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

/** Only one dump runs at a time on a server: another proxy's agent may be at it. */
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

/** The key of an item that may be a token: Swift hashes its keys, and a token is small. */
function keyOf(item: string): string | undefined {
  const [, key, size] = /^key=([0-9a-f]{32}) .*\bsize=(\d+)/.exec(item) ?? []
  return Number(size) <= largestToken ? key : undefined
}

/** The login of a token: tempauth keeps `[expires, "account,account:user,groups…"]`. */
function loginOf(value: string): string | undefined {
  if (!value.startsWith('[')) return undefined
  try {
    const [, groups] = JSON.parse(value) as readonly unknown[]
    return typeof groups === 'string' ? groups.split(',')[1] : undefined
  } catch {
    return undefined
  }
}

/** As Swift's client names what it keeps. */
function hashed(key: string): string {
  return createHash('md5').update(key).digest('hex')
}

function nameOf(logins: ReadonlySet<string>): string {
  const [first = ''] = logins
  return logins.size === 1 ? first : `${first} and ${logins.size - 1} more`
}
