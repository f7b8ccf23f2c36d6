import { isInSubnet, normalizeAddress, parseShareClient, type ShareClient } from '@roost/api-types/agent'

/** The result for a client's address, without asking a name server. */
type Verdict = 'allowed' | 'refused' | 'unknown'

/** Returns whether a list of clients, each as its server writes it, permits an IPv4 address. An empty list permits every client. */
export function verdictOn(address: string, clients: readonly string[]): Verdict {
  if (clients.length === 0 || clients.includes('*')) return 'allowed'
  const read = clients.map((client) => parseShareClient(client))
  if (read.some((client) => client !== undefined && includesAddress(client, address))) return 'allowed'
  return read.every((client) => client?.kind === 'address' || client?.kind === 'subnet') ? 'refused' : 'unknown'
}

/** Says whether `after` permits every client of `before`, as far as the entries show. */
export function isWidened(before: readonly string[], after: readonly string[]): boolean {
  if (after.length === 0 || after.includes('*')) return true
  return before.length > 0 && before.every((client) => after.includes(client))
}

/** Returns whether a client was permitted, or may have been, and is not or may not be any more. */
export function losesAccess(address: string, before: readonly string[], after: readonly string[]): boolean {
  if (isWidened(before, after) || verdictOn(address, before) === 'refused') return false
  return verdictOn(address, after) !== 'allowed'
}

/** Returns the address that a server reports without its port, with IPv4-mapped IPv6 as IPv4; a hostname unchanged. */
export function plainAddress(text: string): string {
  const [, bracketed, bare] = /^(?:ipv[46]:)?(?:\[(.*)\]|(.*?))(?::\d+)?$/.exec(text) ?? []
  return normalizeAddress(text) ?? normalizeAddress(bracketed ?? bare ?? '') ?? text
}

function includesAddress(client: ShareClient, address: string): boolean {
  if (client.kind === 'address') return client.address === address
  return client.kind === 'subnet' && isInSubnet(address, client.address, client.prefix)
}
