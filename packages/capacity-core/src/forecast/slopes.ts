import { median } from './daily-maxima.js'
import type { DailyMaximum } from './daily-maxima.js'

/** Growth in bytes a day: the usual one, and those between which four of five lie. */
export interface Growth {
  readonly slow: number
  readonly middle: number
  readonly fast: number
}

const week = 7
const fewestSlopes = 7
/** What grew in the last two weeks counts as much as all days. */
const recentDays = 15
const fewestRecent = 3

/**
 * Estimates growth by Sen's slope over pairs of equal weekdays (Hirsch, Slack and Smith 1982): the median does not follow single days,
 * and what repeats each week cancels out.
 *
 * @param days ascending; days may be missing
 * @param shifts days that begin a new level: no slope crosses one
 * @returns undefined with fewer than seven slopes
 */
export function growthOf(days: readonly DailyMaximum[], shifts: readonly number[]): Growth | undefined {
  const last = days.at(-1)?.day ?? 0
  const all: number[] = []
  const recent: number[] = []
  for (const [i, from] of days.entries()) {
    const end = shifts.find((day) => day > from.day) ?? Infinity
    for (const to of days.slice(i + 1)) {
      if (to.day >= end) break
      if ((to.day - from.day) % week !== 0) continue
      const slope = (to.usedBytes - from.usedBytes) / (to.day - from.day)
      all.push(slope)
      if (from.day > last - recentDays) recent.push(slope)
    }
  }
  if (all.length < fewestSlopes) return undefined
  return widened(all, recent.length < fewestRecent ? undefined : median(recent))
}

function widened(slopes: readonly number[], recent: number | undefined): Growth {
  const sorted = slopes.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] as number
  const [slow, middle, fast] = [at(0.1), at(0.5), at(0.9)]
  if (recent === undefined) return { slow, middle, fast }
  return { slow: Math.min(slow, recent), middle: (middle + recent) / 2, fast: Math.max(fast, recent) }
}
