/** A device as far as the shape of a ring depends on it. */
interface ShapeDevice {
  readonly id: number
  readonly region: number
  readonly zone: number
  readonly ip: string
  readonly weight: number
  /** Partitions that the ring assigns to it, counting each replica. */
  readonly assigned: number
}

/** Swift's balance of a ring in which a device without weight still has partitions. */
const withoutWeight = 999.99

/** Returns the balance as swift-ring-builder computes it: the largest deviation of a device from its share, in percent. */
export function balanceOf(devices: readonly ShapeDevice[], assigned: number): number {
  const total = devices.reduce((sum, { weight }) => sum + weight, 0)
  const deviations = devices.map((device) => {
    if (device.weight === 0) return device.assigned > 0 ? withoutWeight : 0
    return Math.abs((100 * device.assigned) / ((device.weight / total) * assigned) - 100)
  })
  return deviations.reduce((worst, one) => Math.max(worst, one), 0)
}

/** Regions, zones, addresses and devices: the failure domains of Swift, from the outermost. */
const levels = 4

interface Tiers {
  /** For each device ID, its domain at each level. */
  readonly ofDevice: Int32Array
  readonly level: readonly number[]
  /** Domains with weight directly inside of each domain. */
  readonly children: readonly ReadonlySet<number>[]
}

/**
 * Returns the dispersion as swift-ring-builder computes it without overload. A domain has at most its even share of its parent's
 * replicas, rounded up; each replica above that counts.
 */
export function dispersionOf(devices: readonly ShapeDevice[], ids: Uint16Array, partitions: number): number {
  const tiers = tiersOf(devices)
  const most = mostReplicas(tiers, ids.length / partitions)
  const count = new Int32Array(tiers.level.length)
  const seen = new Int32Array(levels * Math.ceil(ids.length / partitions))
  /** Counts a replica in all of its domains; returns how many domains have been seen. */
  const add = (id: number, found: number): number => {
    let next = found
    for (let at = id * levels; at < (id + 1) * levels; at++) {
      const tier = tiers.ofDevice[at] ?? 0
      if (count[tier] === 0) seen[next++] = tier
      count[tier] = (count[tier] ?? 0) + 1
    }
    return next
  }
  let atRisk = 0
  for (let partition = 0; partition < partitions; partition++) {
    let found = 0
    for (let at = partition; at < ids.length; at += partitions) found = add(ids[at] ?? 0, found)
    atRisk += worstLevel(seen.subarray(0, found), count, { most, level: tiers.level })
  }
  return (100 * atRisk) / ids.length
}

/** Returns the replicas above the limit at the level that has most of them, and clears the counts. */
function worstLevel(
  seen: Int32Array,
  count: Int32Array,
  { most, level }: { readonly most: Float64Array; readonly level: readonly number[] },
): number {
  const above = [0, 0, 0, 0, 0]
  for (const tier of seen) {
    const at = level[tier] ?? 0
    above[at] = (above[at] ?? 0) + Math.max(0, (count[tier] ?? 0) - (most[tier] ?? 0))
    count[tier] = 0
  }
  return Math.max(...above)
}

function tiersOf(devices: readonly ShapeDevice[]): Tiers {
  const ids = new Map<string, number>()
  const level = [0]
  const children: Set<number>[] = [new Set()]
  const ofDevice = new Int32Array(2 ** 16 * levels)
  for (const { id, region, zone, ip, weight } of devices) {
    let parent = 0
    for (const [i, name] of [`${region}`, `${region}/${zone}`, `${region}/${zone}/${ip}`, `#${id}`].entries()) {
      const tier = ids.get(name) ?? level.length
      if (tier === level.length) {
        ids.set(name, tier)
        level.push(i + 1)
        children.push(new Set())
      }
      if (weight > 0) children[parent]?.add(tier)
      ofDevice[id * levels + i] = tier
      parent = tier
    }
  }
  return { ofDevice, level, children }
}

/** Returns how many replicas of a partition each domain should have at most; a device has one. */
function mostReplicas({ level, children }: Tiers, replicas: number): Float64Array {
  const most = new Float64Array(level.length)
  most[0] = replicas
  // A domain is created before those inside of it.
  for (const [tier, inside] of children.entries())
    for (const child of inside) {
      const share = Math.ceil((most[tier] ?? 0) / inside.size)
      most[child] = level[child] === levels ? Math.min(1, share) : share
    }
  return most
}
