import { lookup } from 'node:dns/promises'
import { normalizeAddress } from '@roost/api-types/agent'
import { concurrencyLimit, withTimeout } from '@roost/runtime'

/** Returns the addresses of a host name, as the system's resolver has them. Rejects as `dns.lookup` does. */
export type Lookup = (name: string) => Promise<readonly string[]>

/** The addresses behind the names and addresses of rings. */
export interface RingAddresses {
  /** Normalized; none for a name that does not exist. */
  of(text: string): readonly string[]
  /** Names that could not be resolved now, and never were before. */
  readonly unresolved: readonly string[]
}

/** Resolves all of them. Never rejects. */
export type ResolveAddresses = (texts: readonly string[]) => Promise<RingAddresses>

const deadlineMs = 5_000
const atOnce = 8

/**
 * Resolves host names of rings as Swift's servers do: each address of a name counts, and a name that does not exist has none.
 * While the name server does not answer, a name keeps the addresses that it had.
 */
export function createRingNames(find: Lookup = findAddresses): ResolveAddresses {
  const known = new Map<string, readonly string[]>()
  const limited = concurrencyLimit(atOnce)

  async function resolve(name: string): Promise<void> {
    const found = await withTimeout(answerOf(find, name), deadlineMs, () => undefined)
    if (found !== undefined) known.set(name, found)
  }

  return async (texts) => {
    const addresses = new Map([...new Set(texts)].map((text) => [text, normalizeAddress(text)]))
    const names = [...addresses].filter(([, address]) => address === undefined).map(([text]) => text)
    await Promise.all(names.map((name) => limited(() => resolve(name))))
    const found = new Map(
      [...addresses].map(([text, address]) => [text, address === undefined ? (known.get(text) ?? []) : [address]]),
    )
    return { of: (text) => found.get(text) ?? [], unresolved: names.filter((name) => !known.has(name)) }
  }
}

async function findAddresses(name: string): Promise<readonly string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address)
}

/** Returns undefined where the name server gave no answer. */
async function answerOf(find: Lookup, name: string): Promise<readonly string[] | undefined> {
  try {
    return (await find(name)).map((address) => normalizeAddress(address) ?? address)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOTFOUND' ? [] : undefined
  }
}
