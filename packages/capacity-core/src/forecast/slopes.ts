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
  const slopes = days.flatMap((from, i) => slopesFrom(from, days.slice(i + 1), shifts))
  if (slopes.length < fewestSlopes) return undefined
  const since = (days.at(-1)?.day ?? 0) - recentDays
  const recent = slopes.filter(({ from }) => from > since)
  return widened(slopes.map(valueOf), recent.length < fewestRecent ? undefined : median(recent.map(valueOf)))
}

interface Slope {
  /** Its first day. */
  readonly from: number
  readonly value: number
}

const valueOf = ({ value }: Slope) => value

/** Returns the slopes to later days of the same weekday and level. */
function slopesFrom(from: DailyMaximum, later: readonly DailyMaximum[], shifts: readonly number[]): readonly Slope[] {
  const end = shifts.find((day) => day > from.day) ?? Infinity
  return later
    .filter(({ day }) => day < end && (day - from.day) % week === 0)
    .map(({ day, usedBytes }) => ({ from: from.day, value: (usedBytes - from.usedBytes) / (day - from.day) }))
}

function widened(slopes: readonly number[], recent: number | undefined): Growth {
  const sorted = slopes.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] as number
  const [slow, middle, fast] = [at(0.1), at(0.5), at(0.9)]
  if (recent === undefined) return { slow, middle, fast }
  return { slow: Math.min(slow, recent), middle: (middle + recent) / 2, fast: Math.max(fast, recent) }
}
