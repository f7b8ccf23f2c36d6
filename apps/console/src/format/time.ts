import { language, locale } from '../words/locale.js'
import { display } from './display.js'
import type { Display } from './display.js'
import { noValue } from './numbers.js'

const units = [
  { name: 'second', short: 's', size: 60 },
  { name: 'minute', short: 'min', size: 60 },
  { name: 'hour', short: 'h', size: 24 },
  { name: 'day', short: language === 'de' ? 'T' : 'd', size: Number.POSITIVE_INFINITY },
] as const

function zone(): { readonly timeZone?: 'UTC' } {
  return display().zone === 'utc' ? { timeZone: 'UTC' } : {}
}

/** A duration in its largest unit: `14 min`, `3 d`. */
export function duration(seconds: number): string {
  let rest = Math.max(0, seconds)
  for (const { short, size } of units) {
    if (rest < size) return `${Math.floor(rest)} ${short}`
    rest /= size
  }
  return noValue
}

const relative = new Intl.RelativeTimeFormat(locale, { style: 'short' })

/** How long ago something was: `14 min ago`. */
export function ago(iso: string, now: number): string {
  let rest = Math.max(0, (now - Date.parse(iso)) / 1000)
  for (const { name, size } of units) {
    if (rest < size) return relative.format(-Math.floor(rest), name)
    rest /= size
  }
  return noValue
}

/** Date and time to the second, in the zone that the operator chose. */
export function dateTime(iso: string | null): string {
  if (iso === null) return noValue
  const text = new Date(iso).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium', ...zone() })
  return display().zone === 'utc' ? `${text} UTC` : text
}

export function date(iso: string): string {
  return new Date(iso).toLocaleDateString(locale, { dateStyle: 'medium', ...zone() })
}

/** Month and year, for a day far away. */
export function month(iso: string): string {
  return new Date(iso).toLocaleDateString(locale, { month: 'short', year: 'numeric', ...zone() })
}

/** ISO 8601 to the second, in UTC, for comparing with a log. */
export function utc(iso: string | null): string {
  return iso === null ? noValue : `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
}

/** A mark on a time axis: the day at midnight, seconds where the marks are closer than a minute. */
export function axisTime(seconds: number, stepSeconds: number): string {
  const at = new Date(seconds * 1000)
  if (stepSeconds >= 86_400) return at.toLocaleDateString(locale, { day: 'numeric', month: 'short', ...zone() })
  const style = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...zone() } as const
  const time = at.toLocaleTimeString(locale, stepSeconds < 60 ? { ...style, second: '2-digit' } : style)
  return time === '00:00' ? at.toLocaleDateString(locale, { day: 'numeric', month: 'short', ...zone() }) : time
}

const minuteMs = 60_000

/** Returns what an input of the type `datetime-local` shows for a time in a zone, to the minute. */
export function inputOf(iso: string, zone: Display['zone']): string {
  const at = new Date(iso)
  const offset = zone === 'utc' ? 0 : at.getTimezoneOffset()
  return new Date(at.getTime() - offset * minuteMs).toISOString().slice(0, 16)
}

/** Returns the time that such an input has; undefined for none, such as a year of six digits while one types. */
export function timeOfInput(text: string, zone: Display['zone']): string | undefined {
  const at = new Date(zone === 'utc' ? `${text}Z` : text)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
