import { z } from 'zod'
import { isWithin, parseNetworks } from './networks.js'
import type { Networks } from './networks.js'

/** The addresses of the proxies in front, whose `X-Forwarded-For` names the caller. */
export type Proxies = Networks

const loopback: Proxies = [
  { network: '127.0.0.0', prefix: 8 },
  { network: '::1', prefix: 128 },
]

/** `0`: no proxy. `1`: a proxy on this machine. Otherwise addresses and networks, separated by commas. */
export const ProxyList = z.string().transform((text, context): Proxies => {
  if (text === '0') return []
  if (text === '1') return loopback
  const networks = parseNetworks(text)
  if (networks !== undefined) return networks
  context.addIssue(
    'must be 0 (no proxy), 1 (a proxy on this machine), or addresses and networks such as 10.0.0.5,10.1.0.0/16',
  )
  return z.NEVER
})

/** Returns whether all of them run on this machine. */
export function areLocal(proxies: Proxies): boolean {
  return proxies.every(({ network }) => isWithin(loopback, network))
}
