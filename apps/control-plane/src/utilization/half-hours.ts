import type { UsageRange } from '@roost/api-types/rpc'
import { timeRange } from '../services/time-range.js'

export const halfHourMs = 1_800_000

/** A stretch of time in half-hours since 1970, `to` excluded: a whole number of hours. */
export interface HalfHours {
  readonly from: number
  readonly to: number
}

/** What a caller asks for, rounded: the start down to its half-hour, the end up to a whole hour after it. Throws `invalid`. */
export function roundRange(range: Partial<UsageRange>, nowMs: number): HalfHours {
  const { startMs, endMs } = timeRange(range, nowMs)
  const from = Math.floor(startMs / halfHourMs)
  return { from, to: from + 2 * Math.ceil((endMs - from * halfHourMs) / (2 * halfHourMs)) }
}

/** As times stand in answers: `2014-11-21 17:00:00Z`. */
export function timeText(halfHour: number): string {
  return new Date(halfHour * halfHourMs).toISOString().replace('T', ' ').replace('.000', '')
}
