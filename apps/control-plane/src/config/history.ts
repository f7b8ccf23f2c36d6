import { isAbsolute } from 'node:path'
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

/** A server of remote_write, such as Prometheus, VictoriaMetrics or Mimir. */
export interface RemoteWriteConfig {
  readonly url: string
  /** Path of a file with `user:password` or a token; null: none. */
  readonly credentialsFile: string | null
  /** Path of the PEM of the authority to trust; null: those of Node. */
  readonly caFile: string | null
}

/** A password in a URL would be in the environment of the process. */
export const WriteUrl = z.string().refine(isWriteUrl, {
  error:
    'must be a URL without credentials, such as https://metrics.example/api/v1/write. ROOST_REMOTE_WRITE_CREDENTIALS_FILE names the file with these',
})

function isWriteUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}

export const AbsolutePath = z.string().refine(isAbsolute, { error: 'must be an absolute path' })

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
