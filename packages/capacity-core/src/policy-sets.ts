import { mean, percentile, sampleDeviation } from './statistics.js'
import { percentUsed, usageOf } from './usage.js'
import type { FilesystemSpace } from './usage.js'

/** A device as capacity sees it. */
export interface DeviceCapacity {
  /** Indexes of the policies that it is assigned to, in any order. */
  readonly policies: readonly number[]
  /** Null where its filesystem is not known: it is counted, and adds to nothing else. */
  readonly figures: FilesystemSpace | null
}

/** Percent used of the single devices, each 0..100; `count` is every assigned device, known or not. */
export interface PercentUsedStats {
  readonly count: number
  readonly min: number
  readonly max: number
  readonly avg: number
  readonly stddev: number
  readonly pct95: number
}

export interface PolicySetCapacity {
  /** Ascending, without repetition, never empty. */
  readonly policies: readonly number[]
  readonly rawBytes: number
  readonly usedBytes: number
  readonly freeBytes: number
  readonly usedPct: number
  readonly percentUsed: PercentUsedStats
}

/** One element for every set of policies that a device is assigned to, in the order of their indexes. */
export function capacityByPolicySet(devices: readonly DeviceCapacity[]): PolicySetCapacity[] {
  const groups = new Map<string, { readonly policies: readonly number[]; readonly devices: DeviceCapacity[] }>()
  for (const device of devices) {
    const policies = policySet(device.policies)
    if (policies.length === 0) continue
    const key = policies.join()
    const group = groups.get(key)
    if (group) group.devices.push(device)
    else groups.set(key, { policies, devices: [device] })
  }
  return [...groups.values()]
    .toSorted((a, b) => comparePolicySets(a.policies, b.policies))
    .map((group) => capacityOf(group.policies, group.devices))
}

function capacityOf(policies: readonly number[], devices: readonly DeviceCapacity[]): PolicySetCapacity {
  const usages = devices.flatMap(({ figures }) => (figures ? [usageOf(figures)] : []))
  const percents = usages.map((usage) => percentUsed(usage.usedBytes, usage.rawBytes)).toSorted((a, b) => a - b)
  const total = (field: 'rawBytes' | 'usedBytes' | 'freeBytes') => usages.reduce((sum, usage) => sum + usage[field], 0)
  const [rawBytes, usedBytes, freeBytes] = [total('rawBytes'), total('usedBytes'), total('freeBytes')]
  return {
    policies,
    rawBytes,
    usedBytes,
    freeBytes,
    usedPct: percentUsed(usedBytes, rawBytes),
    percentUsed: {
      count: devices.length,
      min: percents[0] ?? 0,
      max: percents.at(-1) ?? 0,
      avg: mean(percents),
      stddev: sampleDeviation(percents),
      pct95: percentile(95, percents),
    },
  }
}

/** A set of policies in its one order. */
export function policySet(policies: readonly number[]): readonly number[] {
  return [...new Set(policies)].toSorted((a, b) => a - b)
}

/** By the first index that differs; a set that is the beginning of another comes first. */
export function comparePolicySets(a: readonly number[], b: readonly number[]): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number)
  return a.length - b.length
}
