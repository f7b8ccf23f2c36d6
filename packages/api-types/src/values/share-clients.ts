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
const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const address = new RegExp(`^${octet}(?:\\.${octet}){3}$`)
const subnet = new RegExp(`^(${octet}(?:\\.${octet}){3})/(\\d{1,2}|${octet}(?:\\.${octet}){3})$`)
const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const netgroup = /^@[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/

/** The entries of a list that commas or blanks separate. */
export function splitList(text: string): readonly string[] {
  return text.split(/[, ]+/).filter((entry) => entry !== '')
}

/** The entry as it was meant; undefined for what is none. */
export function parseShareClient(entry: string): ShareClient | undefined {
  if (address.test(entry)) return { kind: 'address', address: entry }
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
  const [, base, mask] = subnet.exec(entry) ?? []
  if (base === undefined || mask === undefined) return undefined
  const prefix = mask.includes('.') ? prefixOfNetmask(mask) : Number(mask)
  return prefix === undefined || prefix > 32 ? undefined : { kind: 'subnet', address: base, prefix }
}

/** The length of a netmask whose ones stand together; undefined for another. */
function prefixOfNetmask(mask: string): number | undefined {
  const bits = mask
    .split('.')
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('')
  return /^1*0*$/.test(bits) ? bits.replaceAll('0', '').length : undefined
}

/** A last label of digits alone would make a mistyped address, such as 300.1.1.1, a name. */
function isDomain(text: string): boolean {
  const labels = text.split('.')
  return text.length <= 253 && labels.every((part) => label.test(part)) && !/^\d+$/.test(labels.at(-1) ?? '')
}
