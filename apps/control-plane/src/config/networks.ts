import { isInSubnet, normalizeAddress } from '@roost/api-types/rest'
import { z } from 'zod'

/** Addresses and networks. */
export type Networks = readonly { readonly network: string; readonly prefix: number }[]

/** Networks that are separated by commas. */
export const NetworkList = z.string().transform((text, context): Networks => {
  const networks = parseNetworks(text)
  if (networks !== undefined) return networks
  context.addIssue('must be addresses and networks, such as 10.0.0.5,10.1.0.0/16')
  return z.NEVER
})

/** Returns undefined if one of them is neither an address nor a network. */
export function parseNetworks(text: string): Networks | undefined {
  const networks = text.split(',').map((entry) => parseNetwork(entry.trim()))
  const valid = networks.filter((network) => network !== undefined)
  return valid.length === networks.length ? valid : undefined
}

function parseNetwork(entry: string): Networks[number] | undefined {
  const [, address = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
  const network = normalizeAddress(address)
  if (network === undefined) return undefined
  const bits = network.includes(':') ? 128 : 32
  const prefix = digits === undefined ? bits : Number(digits)
  return prefix <= bits ? { network, prefix } : undefined
}

export function isWithin(networks: Networks, address: string | undefined): boolean {
  return address !== undefined && networks.some(({ network, prefix }) => isInSubnet(address, network, prefix))
}
