import { createHash } from 'node:crypto'
import { batch, deadlineMs, removeItems } from './cached-items.js'
import type { InForceFile } from './in-force.js'
import { withMemcached } from './memcached.js'
import type { Endpoint, ProxySettings } from './proxy-settings.js'

export interface EndedTokens {
  readonly ended: number
  /** One sentence for each server that was not reached: its tokens may remain valid until they expire. */
  readonly notReached: readonly string[]
}

/** The limit for an item with its header: a token has a tenth of it, a listing of shards may have a megabyte. */
const largestToken = 4096

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
  const isStale = (value: string) => logins.has(loginOf(value) ?? '')
  try {
    return await withMemcached(server, deadlineMs, async (memcached) => {
      for (let i = 0; i < users.length; i += batch) await memcached.remove(users.slice(i, i + batch))
      return { ended: await removeItems(server, memcached, { keyOf, isStale }) }
    })
  } catch (error) {
    const reason = (error as Error).message
    return {
      ended: 0,
      fault: `Not reached: memcached ${server.host}:${server.port} (${reason}). Tokens of ${nameOf(logins)} may remain valid there until they expire.`,
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
