import { RoostError } from '@roost/api-types/rest'

/** A range as callers ask for it; without `end` it ends now. */
export interface AskedRange {
  readonly start?: string | undefined
  readonly end?: string | undefined
}

/** In Unix milliseconds. */
export interface TimeRange {
  readonly startMs: number
  readonly endMs: number
}

/** Reads the range that a caller asks for. Throws `invalid`. */
export function timeRange({ start, end }: AskedRange, nowMs: number): TimeRange {
  if (start === undefined || start === '')
    throw new RoostError('invalid', "Give 'start', a time such as 2014-11-21T17:00:00Z.")
  const startMs = timeOf('start', start)
  const endMs = end === undefined || end === '' ? nowMs : timeOf('end', end)
  if (endMs < startMs)
    throw new RoostError('invalid', "'end' is before 'start'. Without 'end', the current time is used.")
  return { startMs, endMs }
}

const pattern =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d(?:[.,]\d{1,9})?))?)?(Z|[+ -]\d\d(?::?\d\d)?)?)?$/i

/** ISO 8601, with a blank for the T or not, UTC where there is no zone. Unix milliseconds. */
function timeOf(name: string, text: string): number {
  const match = pattern.exec(text.trim())
  const time = match === null ? undefined : utcMs(match)
  if (time !== undefined) return time
  throw new RoostError(
    'invalid',
    `'${text}' is not a valid time for '${name}'. Use a time such as 2014-11-21T17:00:00Z.`,
  )
}

function utcMs([, year, month, day, hour, minute, seconds = '00', zone = 'Z']: RegExpExecArray): number | undefined {
  const [second = '00', fraction = '0'] = seconds.split(/[.,]/)
  const local = `${year}-${month}-${day}T${hour ?? '00'}:${minute ?? '00'}:${second}`
  const time = Date.parse(`${local}Z`)
  const offset = offsetMs(zone)
  // Date.parse makes the 2nd of March of the 30th of February.
  if (Number.isNaN(time) || offset === undefined || !new Date(time).toISOString().startsWith(local)) return undefined
  return time + Number(`0.${fraction}`) * 1000 - offset
}

/** A plus that was not percent-encoded arrives as a blank. */
function offsetMs(zone: string): number | undefined {
  if (/^z$/i.test(zone)) return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || 0)
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
