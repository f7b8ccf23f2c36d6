import { z } from 'zod'

/** How much of the history of metrics is kept. */
export interface HistoryConfig {
  readonly isOn: boolean
  /** Readings. */
  readonly rawHours: number
  /** Means of five minutes, and of an hour. */
  readonly fiveMinutesDays: number
  readonly hourDays: number
  /** Above it the oldest and finest is removed. */
  readonly maxGigabytes: number
}

const numberOf = (least: number, most: number, what: string) =>
  z.string().transform((text, context) => {
    const number = /^\d{1,5}$/.test(text) ? Number(text) : -1
    if (number >= least && number <= most) return number
    context.addIssue(`must be a number of ${what}, ${least} to ${most}`)
    return z.NEVER
  })

/** Means of five minutes are made of six hours of readings. */
export const RawHours = numberOf(12, 9_999, 'hours')
export const HistoryDays = numberOf(2, 9_999, 'days')
export const Gigabytes = numberOf(1, 99_999, 'gigabytes')
