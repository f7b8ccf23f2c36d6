import { isIpv4, prefixOfNetmask } from './ip-address.js'

/** One entry of `clients_allowed_list`, read; a renderer writes it in the words of its server. */
export type ShareClient =
  | { readonly kind: 'address'; readonly address: string }
  | { readonly kind: 'subnet'; readonly address: string; readonly prefix: number }
  | { readonly kind: 'domain'; readonly domain: string }
  /** Every host below the domain. */
  | { readonly kind: 'suffix'; readonly domain: string }
  | { readonly kind: 'netgroup'; readonly netgroup: string }

// Samba reads these words in `hosts allow` as commands, in any case.
const commands = new Set(['all', 'except', 'fail', 'local'])
const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const netgroup = /^@[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/

/** The entries of a list that commas or blanks separate. */
export function splitList(text: string): readonly string[] {
  return text.split(/[, ]+/).filter((entry) => entry !== '')
}

/** Parses an entry; undefined when it is not valid. */
export function parseShareClient(entry: string): ShareClient | undefined {
  if (isIpv4(entry)) return { kind: 'address', address: entry }
  if (entry.includes('/')) return parseSubnet(entry)
  if (entry.startsWith('@')) return netgroup.test(entry) ? { kind: 'netgroup', netgroup: entry.slice(1) } : undefined
  const suffix = /^\*?\./.exec(entry)
  if (suffix) {
    const domain = entry.slice(suffix[0].length)
    return isDomain(domain) ? { kind: 'suffix', domain } : undefined
  }
  if (!isDomain(entry) || commands.has(entry.toLowerCase())) return undefined
  return { kind: 'domain', domain: entry }
}

function parseSubnet(entry: string): ShareClient | undefined {
  const [address = '', mask = '', ...more] = entry.split('/')
  if (!isIpv4(address) || more.length > 0) return undefined
  const prefix = /^\d{1,2}$/.test(mask) ? Number(mask) : prefixOfNetmask(mask)
  return prefix === undefined || prefix > 32 ? undefined : { kind: 'subnet', address, prefix }
}

/** A last label of digits alone would make a mistyped address, such as 300.1.1.1, a name. */
function isDomain(text: string): boolean {
  const labels = text.split('.')
  return text.length <= 253 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '')
}
