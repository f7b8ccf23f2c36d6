import type { DailyMaximum } from './daily-maxima.js'
import { levelShifts } from './level-shifts.js'
import { growthOf } from './slopes.js'
import type { Growth } from './slopes.js'

/** Days until the limit is reached. */
export interface DaysUntilFull {
  /** By fast growth. */
  readonly early: number
  readonly middle: number
  /** By slow growth; null if that does not grow at all. */
  readonly late: number | null
}

interface Seen {
  /** From the first to the last day, at most 42. */
  readonly historyDays: number
  /** Days that begin a new level, since 1970-01-01. */
  readonly shifts: readonly number[]
}

/**
 * `not_enough_data`: fewer than 14 days, or more than 30 % of them are missing. `not_growing`: the usual growth is not above 0.
 * `beyond_horizon`: even fast growth takes more than a year, or more than twice the days that were seen.
 */
export type Forecast = Seen &
  (
    | { readonly state: 'not_enough_data' }
    | { readonly state: 'not_growing' | 'beyond_horizon'; readonly growthBytesADay: number }
    | { readonly state: 'forecast'; readonly growthBytesADay: number; readonly daysUntilFull: DaysUntilFull }
  )

export interface Size {
  readonly sizeBytes: number
  /** Used bytes at which it is full. */
  readonly limitBytes: number
}

/** Days that a forecast looks at. */
export const forecastDays = 42

const fewestDays = 14
const leastKnown = 0.7
const longestDays = 365

/**
 * Forecasts when used bytes reach a limit. A rebalance cannot be foreseen, and growth that accelerates is forecast late.
 *
 * @param days daily maxima, ascending, one a day at most; of more than 42 days the last count
 * @param size of the device or the cluster today
 */
export function forecastFull(days: readonly DailyMaximum[], { sizeBytes, limitBytes }: Size): Forecast {
  const last = days.at(-1)
  const seen = days.filter(({ day }) => day > (last?.day ?? 0) - forecastDays)
  const first = seen[0]
  if (first === undefined || last === undefined) return { state: 'not_enough_data', historyDays: 0, shifts: [] }
  const historyDays = last.day - first.day + 1
  const shifts = levelShifts(seen, sizeBytes)
  const growth = isEnough(seen.length, historyDays) ? growthOf(seen, shifts) : undefined
  if (growth === undefined) return { state: 'not_enough_data', historyDays, shifts }
  return { historyDays, shifts, ...reached(limitBytes - last.usedBytes, growth, historyDays) }
}

function isEnough(known: number, historyDays: number): boolean {
  return historyDays >= fewestDays && known >= leastKnown * historyDays
}

function reached(leftBytes: number, { slow, middle, fast }: Growth, historyDays: number) {
  const growthBytesADay = middle
  if (leftBytes <= 0) {
    return { state: 'forecast' as const, growthBytesADay, daysUntilFull: { early: 0, middle: 0, late: 0 } }
  }
  if (middle <= 0) return { state: 'not_growing' as const, growthBytesADay }
  const until = (growth: number) => leftBytes / growth
  if (until(fast) > Math.min(longestDays, 2 * historyDays)) return { state: 'beyond_horizon' as const, growthBytesADay }
  const daysUntilFull = { early: until(fast), middle: until(middle), late: slow > 0 ? until(slow) : null }
  return { state: 'forecast' as const, growthBytesADay, daysUntilFull }
}
