import ipaddr from 'ipaddr.js'

const { IPv4, IPv6 } = ipaddr

/** Returns true for four decimal octets without leading zeros. Other spellings that some programs read as IPv4 are refused. */
export function isIpv4(text: string): boolean {
  return IPv4.isValidFourPartDecimal(text)
}

/** Returns the usual spelling of an address, with IPv4-mapped IPv6 as IPv4; undefined for other text. */
export function normalizeAddress(text: string): string | undefined {
  return parseAddress(text)?.toString()
}

/** Returns the first address of a subnet: `10.1.2.3`, 8 → `10.0.0.0`. Other text than an address is returned unchanged. */
export function networkAddress(address: string, prefix: number): string {
  const parsed = parseAddress(address)
  if (parsed === undefined) return address
  const cidr = `${parsed.toString()}/${prefix}`
  return (parsed.kind() === 'ipv4' ? IPv4 : IPv6).networkAddressFromCIDR(cidr).toString()
}

/** Returns true if both are addresses of one family and the address is in the subnet. */
export function isInSubnet(address: string, network: string, prefix: number): boolean {
  const [one, other] = [parseAddress(address), parseAddress(network)]
  return one !== undefined && other !== undefined && one.kind() === other.kind() && one.match(other, prefix)
}

/** Returns true for addresses that are valid on one link only: `169.254.0.0/16` and `fe80::/10`. */
export function isLinkLocal(address: string): boolean {
  return parseAddress(address)?.range() === 'linkLocal'
}

/** Returns the length of a netmask such as `255.255.0.0`; undefined for text that is not a netmask. */
export function prefixOfNetmask(mask: string): number | undefined {
  return isIpv4(mask) ? (IPv4.parse(mask).prefixLengthFromSubnetMask() ?? undefined) : undefined
}

function parseAddress(text: string) {
  if (isIpv4(text)) return IPv4.parse(text)
  const [, prefix, embedded] = /^(.*:)([^:%.]*\.[^:%]*)(?:%|$)/.exec(text) ?? []
  // The library reads `::10.0.0.1`, which is obsolete, and octets with leading zeros as IPv4-mapped.
  if (embedded !== undefined && (prefix === '::' || !isIpv4(embedded))) return undefined
  return IPv6.isValid(text) ? ipaddr.process(text) : undefined
}

/** Returns true for addresses that the internet routes; false for private, loopback, link-local and other special ones. */
export function isPublicAddress(address: string): boolean {
  return parseAddress(address)?.range() === 'unicast'
}
