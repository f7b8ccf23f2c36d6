import type { rpc } from '../api/client.js'
import type { inferOutput } from '../api/queries/output.js'
import { count, noValue } from '../format/numbers.js'
import { t } from '../words/text.js'

export type SetForecast = inferOutput<typeof rpc.clusters.forecast.query>['forecast'][number]
type Days = NonNullable<SetForecast['days_until_full']>

const rounded = (value: number) => Math.max(0, Math.round(value))

/** When a set of policies will be full, with the interval of the forecast, which looks ahead twice as far as it looks back. */
export function fullText({ state, days_until_full: full, history_days: seen }: SetForecast): string {
  if (state === 'not_enough_data') return t('full.notEnough')
  if (state === 'not_growing') return t('full.notGrowing')
  if (state === 'beyond_horizon' || full === null)
    return t('full.beyond', { days: t('full.days', { count: 2 * seen }) })
  const days = t('full.days', { count: rounded(full.middle) })
  if (full.late === null) return t('full.inOpen', { days, early: rounded(full.early) })
  return t('full.in', { days, early: rounded(full.early), late: rounded(full.late) })
}

/** Days until full with their interval, for a cell of a table: `24 (19–41)`. */
export function daysText(full: Days | null): string {
  if (full === null) return noValue
  const late = full.late === null ? '' : count(rounded(full.late))
  return `${count(rounded(full.middle))} (${count(rounded(full.early))}–${late})`
}
