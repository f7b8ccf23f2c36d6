import { isInSubnet, normalizeAddress } from '@roost/api-types/rest'
import { z } from 'zod'

/** The addresses of the proxies in front, whose `X-Forwarded-For` names the caller. */
export type Proxies = readonly { readonly network: string; readonly prefix: number }[]

const loopback: Proxies = [
  { network: '127.0.0.0', prefix: 8 },
  { network: '::1', prefix: 128 },
]

/** `0`: no proxy. `1`: a proxy on this machine. Otherwise addresses and networks, separated by commas. */
export const ProxyList = z.string().transform((text, context): Proxies => {
  if (text === '0') return []
  if (text === '1') return loopback
  const networks = text.split(',').map((entry) => parseNetwork(entry.trim()))
  const valid = networks.filter((network) => network !== undefined)
  if (valid.length === networks.length) return valid
  context.addIssue(
    'must be 0 (no proxy), 1 (a proxy on this machine), or addresses and networks such as 10.0.0.5,10.1.0.0/16',
  )
  return z.NEVER
})

function parseNetwork(entry: string): Proxies[number] | undefined {
  const [, address = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const network = normalizeAddress(address)
  if (network === undefined) return undefined
  const bits = network.includes(':') ? 128 : 32
  const prefix = digits === undefined ? bits : Number(digits)
  return prefix <= bits ? { network, prefix } : undefined
}

export function isProxy(proxies: Proxies, address: string | undefined): boolean {
  return address !== undefined && proxies.some(({ network, prefix }) => isInSubnet(address, network, prefix))
}

/** Returns whether all of them run on this machine. */
export function areLocal(proxies: Proxies): boolean {
  return proxies.every(({ network }) => isProxy(loopback, network))
}
