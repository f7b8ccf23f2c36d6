import type { ProxyAuthentication } from '@roost/api-types/agent'

/** What agents answered just now about their proxies, by node; null: it is not known. A node that did not answer is missing. */
export type ProxyAnswers = ReadonlyMap<number, ProxyAuthentication | null>

/** Asks those proxies of a cluster that a deployment of users may leave out how they authenticate. Never rejects for an agent. */
export type AskProxies = (clusterId: number) => Promise<ProxyAnswers>

/** The approved proxies of a cluster: those that get its users, and those that are left out. */
export interface DividedProxies {
  readonly targets: readonly { readonly id: number }[]
  readonly leftOut: readonly Known<{ readonly id: number }>[]
}

interface Proxy {
  /** Null while it is not known. */
  readonly proxyAuthentication: string | null
}

type Known<T> = T & { readonly proxyAuthentication: string }

/**
 * Divides the proxies of a cluster: users are deployed to those with tempauth, and to those of which nothing is known. The others
 * accept neither these users nor their tokens. Where there are only such, they are all targets, and say why they cannot have users.
 */
export function divideProxies<T extends Proxy>(
  proxies: readonly T[],
): { readonly targets: readonly T[]; readonly leftOut: readonly Known<T>[] } {
  const leftOut = proxies.filter(hasOther)
  if (leftOut.length === proxies.length) return { targets: proxies, leftOut: [] }
  return { targets: proxies.filter((proxy) => !hasOther(proxy)), leftOut }
}

export function hasOther<T extends Proxy>(proxy: T): proxy is Known<T> {
  return proxy.proxyAuthentication !== null && proxy.proxyAuthentication !== 'tempauth'
}
