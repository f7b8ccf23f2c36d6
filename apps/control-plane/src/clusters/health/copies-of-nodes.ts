import type { InventoryRing } from '@roost/api-types/agent'
import type { PolicyHealth, RingCopies, RingHealth, StoragePolicy } from '@roost/api-types/rest'
import { resourceUri } from '@roost/api-types/rest'
import { groupCopies } from './copies.js'
import type { Copies } from './copies.js'
import type { NodeWithRings } from './store.js'

/** Returns each ring with the nodes that have each file of it. */
export function ringsOf(nodes: readonly NodeWithRings[]): RingHealth[] {
  const entries = nodes.flatMap(({ id, rings }) =>
    rings.map(({ name, md5, version }) => ({ name, copy: { md5, version }, node: resourceUri('nodes', id) })),
  )
  const files = new Map<string, [InventoryRing, ...InventoryRing[]]>()
  for (const ring of nodes.flatMap(({ rings }) => rings)) {
    const known = files.get(`${ring.name} ${ring.md5}`)
    if (known === undefined) files.set(`${ring.name} ${ring.md5}`, [ring])
    else known.push(ring)
  }
  return groupCopies(entries).map(([name, copies]) => ({
    name,
    agree: copies.length === 1,
    copies: copies.flatMap((copy) => {
      const rings = files.get(`${name} ${copy.md5}`)
      return rings === undefined ? [] : [{ ...copy, ...factsOf(rings) }]
    }),
  }))
}

type RingFacts = Omit<RingCopies, 'md5' | 'version' | 'nodes'>

/** The facts that agents of 0.2 do not report. */
const unknown = { balance: null, dispersion: null, regions: null, zones: null, weight: null }

/** Returns what the nodes report of one file. */
function factsOf(rings: readonly [InventoryRing, ...InventoryRing[]]): RingFacts {
  const full = rings.find(({ balance }) => balance !== undefined) ?? rings[0]
  const { devices, partitions, replicas, balance, dispersion, regions, zones, weight } = full
  const reported = { balance, dispersion, regions, zones, weight }
  const known = Object.fromEntries(Object.entries(reported).filter(([, value]) => value !== undefined))
  const written = rings.flatMap(({ modified }) => modified ?? [])
  return {
    devices,
    partitions,
    replicas,
    ...unknown,
    ...known,
    next_part_power: full.next_part_power ?? null,
    min_part_hours: rings.find((ring) => ring.min_part_hours !== undefined)?.min_part_hours ?? null,
    modified: written.length === 0 ? null : isoTime(written.reduce((first, one) => Math.min(first, one))),
  }
}

/** A clock of a node may be beyond what a date has. */
function isoTime(seconds: number): string | null {
  const time = new Date(seconds * 1_000)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}

/** Returns the hash suffixes and prefixes that the nodes have, by their digests. */
export function swiftConfsOf(nodes: readonly NodeWithRings[]): Copies<{ readonly digest: string }> {
  const entries = nodes.flatMap(({ id, hashPathDigest: digest }) =>
    digest === null ? [] : [{ name: 'swift.conf', copy: { digest }, node: resourceUri('nodes', id) }],
  )
  return groupCopies(entries)[0]?.[1] ?? []
}

/** Returns each policy with the nodes that have each definition of it. */
export function policiesOf(nodes: readonly NodeWithRings[], stored: readonly StoragePolicy[]): PolicyHealth[] {
  const entries = nodes.flatMap(({ id, policies }) =>
    policies.map(({ index, name, aliases, is_default, is_deprecated, type }) => ({
      name: index,
      copy: { name, aliases, is_default, is_deprecated, type },
      node: resourceUri('nodes', id),
    })),
  )
  return groupCopies(entries).map(([index, copies]) => {
    const policy = stored.find((one) => one.index === index)
    return {
      index,
      replicas: policy?.replicas ?? null,
      ec: policy?.ec ?? null,
      raw_bytes: policy?.raw_bytes ?? 0,
      usable_bytes: policy?.usable_bytes ?? null,
      agree: copies.length === 1,
      copies,
    }
  })
}
