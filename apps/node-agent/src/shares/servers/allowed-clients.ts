import { isInSubnet, normalizeAddress, parseShareClient, type ShareClient } from '@roost/api-types/agent'

/** What can be told of a client's address without asking a name server. */
type Verdict = 'allowed' | 'refused' | 'unknown'

/** Whether a list of clients, each in its server's words, lets an IPv4 address in. Nobody in the list: everybody. */
export function verdictOn(address: string, clients: readonly string[]): Verdict {
  if (clients.length === 0 || clients.includes('*')) return 'allowed'
  const read = clients.map((client) => parseShareClient(client))
  if (read.some((client) => client !== undefined && includesAddress(client, address))) return 'allowed'
  return read.every((client) => client?.kind === 'address' || client?.kind === 'subnet') ? 'refused' : 'unknown'
}

/** Whether every client of `before` is still let in by `after`, as far as the words tell. */
export function isWidened(before: readonly string[], after: readonly string[]): boolean {
  if (after.length === 0 || after.includes('*')) return true
  return before.length > 0 && before.every((client) => after.includes(client))
}

/** A client that was let in, or may have been, and is not any more, as far as that can be told. */
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
