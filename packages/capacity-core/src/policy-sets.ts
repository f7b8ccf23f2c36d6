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
