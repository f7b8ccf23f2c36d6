/** Days of UTC, such as `2026-11-01`, both of them part of the period. */
export interface Period {
  readonly from: string
  readonly to: string
}

const dayMs = 86_400_000

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Returns the month so many months before that of a time, this one up to its day. */
export function monthBefore(months: number, now: number): Period {
  const at = new Date(now)
  const first = (before: number) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - before)
  return { from: dayOf(first(months)), to: dayOf(months === 0 ? now : first(months - 1) - dayMs) }
}

/** Returns the period that an address names; what is no day there is that of this month. */
export function periodOf({ from = '', to = '' }: Partial<Period>, now: number): Period {
  const month = monthBefore(0, now)
  return { from: isDay(from) ? from : month.from, to: isDay(to) ? to : month.to }
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))
}

/** Returns the period for the API. One that reaches to today ends now. */
export function rangeOf({ from, to }: Period, now: number): { readonly start: string; readonly end?: string } {
  const end = Date.parse(`${to}T00:00:00Z`) + dayMs
  return { start: `${from}T00:00:00Z`, ...(end > now ? {} : { end: new Date(end).toISOString() }) }
}

/** Returns what a bar or point of a chart of the period is: more days cannot be distinguished. */
export function stepOf({ from, to }: Period): 'day' | 'month' {
  return Date.parse(to) - Date.parse(from) > 92 * dayMs ? 'month' : 'day'
}
