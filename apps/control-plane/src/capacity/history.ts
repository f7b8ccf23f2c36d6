import { bytesPerTb, comparePolicySets, percentUsed } from '@roost/capacity-core'
import type { CapacityHistory, CapacityHistoryElement } from '@roost/api-types/rest'
import type { TimeRange } from '../services/time-range.js'
import { dayMs, dayOf } from './day.js'
import type { CapacityDays, DayStore } from './day-store.js'

export interface HistoryOptions {
  readonly days: Pick<DayStore, 'capacityOfDays'>
  /** Unix milliseconds. */
  readonly now: () => number
}

export interface HistoryScope {
  readonly clusterId: number
  readonly range: TimeRange
  /** Names a set by the indexes of its policies. */
  readonly ringSet: (policies: readonly number[]) => string
  /** Names of sets; undefined for all. */
  readonly sets: readonly string[] | undefined
}

/** Reads the days of the sets of policies of a cluster. The answer begins with the first day that is known. */
export async function capacityHistory(
  { days, now }: HistoryOptions,
  { clusterId, range: { startMs, endMs }, ringSet, sets }: HistoryScope,
): Promise<CapacityHistory> {
  const today = dayOf(now())
  const to = Math.min(Math.ceil(endMs / dayMs) - 1, today)
  const asked = dayOf(startMs)
  const known = asked > to ? [] : await days.capacityOfDays(clusterId, Math.max(0, asked), to)
  const named = known
    .map((set) => ({ set, policies: set.policySet.split(',').map(Number) }))
    .toSorted((a, b) => comparePolicySets(a.policies, b.policies))
    .map(({ set, policies }) => ({ set, name: ringSet(policies) }))
    .filter(({ name }) => sets === undefined || sets.includes(name))
  const first = Math.min(...named.map(({ set }) => set.days[0] as number))
  const from = named.length === 0 ? asked : first
  const points = named.length === 0 ? 0 : to - from + 1
  return {
    meta: {
      start: (from * dayMs) / 1000,
      step: dayMs / 1000,
      points,
      level: 'day',
      complete_until: (Math.min(to + 1, today) * dayMs) / 1000,
    },
    capacity: named.map(({ set, name }) => elementOf(set, name, { from, points })),
  }
}

interface Days {
  readonly from: number
  readonly points: number
}

function elementOf(set: CapacityDays, name: string, { from, points }: Days): CapacityHistoryElement {
  const spread = (valueOf: (i: number) => number) => {
    const values = Array<number | null>(points).fill(null)
    for (const [i, day] of set.days.entries()) values[day - from] = valueOf(i)
    return values
  }
  const inTb = (bytes: readonly number[]) => spread((i) => (bytes[i] as number) / bytesPerTb)
  return {
    ring_set: name,
    total_raw_tb: inTb(set.rawBytes),
    total_used_tb: inTb(set.usedBytes),
    total_free_tb: inTb(set.freeBytes),
    total_used_pct: spread((i) => percentUsed(set.usedBytes[i] as number, set.rawBytes[i] as number)),
    pct_used_stats: { max: spread((i) => set.fullestPct[i] as number), pct_95: spread((i) => set.pct95[i] as number) },
  }
}
