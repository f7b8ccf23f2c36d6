import type { InventoryErasureCode, InventoryPolicy } from '@roost/api-types/agent'
import { isTrue, parseIni } from './ini.js'

/** Policies of swift.conf that cannot be used; the message is for operators. */
export class SwiftConfError extends Error {
  override readonly name = 'SwiftConfError'
}

/** Swift's name of policy 0 without an entry in swift.conf. */
const unnamedPolicy = 'Policy-0'

/** Parses the storage policies of a swift.conf by Swift's own rules. Throws SwiftConfError. */
export function parsePolicies(swiftConf: string): readonly InventoryPolicy[] {
  const policies: InventoryPolicy[] = []
  for (const [section, settings] of parseIni(swiftConf)) {
    const name = /^storage-policy:(.*)$/.exec(section)?.[1]
    if (name === undefined) continue
    if (!/^\d{1,9}$/.test(name)) throw new SwiftConfError(`[${section}] must end with the index of a policy`)
    policies.push(parsePolicy(Number(name), settings))
  }
  if (!policies.some((policy) => policy.index === 0)) policies.push(parsePolicy(0, new Map([['name', unnamedPolicy]])))
  checkNames(policies)
  return withDefault(policies).toSorted((a, b) => a.index - b.index)
}

function parsePolicy(index: number, settings: ReadonlyMap<string, string>): InventoryPolicy {
  const name = settings.get('name')
  if (name === undefined || name === '') throw new SwiftConfError(`[storage-policy:${index}] has no name`)
  const type = settings.get('policy_type') ?? 'replication'
  const aliases = (settings.get('aliases') ?? '').split(',').map((alias) => alias.trim())
  return {
    index,
    name,
    aliases: [...new Set(aliases)].filter((alias) => alias !== '' && alias !== name),
    is_default: isTrue(settings.get('default')),
    is_deprecated: isTrue(settings.get('deprecated')),
    type,
    ...(type === 'erasure_coding' ? { ec: parseErasureCode(index, settings) } : {}),
  }
}

/** Parses the parameters that Swift requires of an erasure code, and its defaults for the others. */
function parseErasureCode(index: number, settings: ReadonlyMap<string, string>): InventoryErasureCode {
  const count = (key: string, otherwise = ''): number => {
    const value = settings.get(key) ?? otherwise
    if (!/^[1-9]\d{0,8}$/.test(value)) throw new SwiftConfError(`[storage-policy:${index}] has no valid ${key}`)
    return Number(value)
  }
  const type = settings.get('ec_type')
  if (type === undefined || type === '') throw new SwiftConfError(`[storage-policy:${index}] has no ec_type`)
  return {
    type,
    data_fragments: count('ec_num_data_fragments'),
    parity_fragments: count('ec_num_parity_fragments'),
    duplication_factor: count('ec_duplication_factor', '1'),
    segment_bytes: count('ec_object_segment_size', '1048576'),
  }
}

function checkNames(policies: readonly InventoryPolicy[]): void {
  const owners = new Map<string, number>()
  for (const { index, name, aliases } of policies)
    for (const label of [name, ...aliases].map((each) => each.toLowerCase())) {
      const owner = owners.get(label) ?? index
      if (owner !== index) throw new SwiftConfError(`policies ${owner} and ${index} are both named ${label}`)
      owners.set(label, index)
    }
}

function withDefault(policies: readonly InventoryPolicy[]): readonly InventoryPolicy[] {
  const defaults = policies.filter((policy) => policy.is_default)
  if (defaults.length > 1) throw new SwiftConfError('more than one policy is the default')
  if (defaults.length === 1) return policies
  if (policies.length > 1) throw new SwiftConfError('no policy is the default')
  return policies.map((policy) => ({ ...policy, is_default: true }))
}

/** Returns the name of a policy's object ring, as in recon and in its file name. */
export function objectRingName(policyIndex: number): string {
  return policyIndex === 0 ? 'object' : `object-${policyIndex}`
}

/** Returns the policy of an object ring; undefined for the rings of accounts and containers. */
export function policyOfRing(name: string): number | undefined {
  const match = /^object(?:-(\d{1,9}))?$/.exec(name)
  return match ? Number(match[1] ?? 0) : undefined
}
