import type { rpc } from '../api/client.js'
import type { inferOutput } from '../api/queries/output.js'
import { t } from '../words/text.js'

export type SetForecast = inferOutput<typeof rpc.clusters.forecast.query>['forecast'][number]

const days = (value: number) => t('full.days', { count: Math.max(0, Math.round(value)) })

/** When a set of policies will be full, with the interval of the forecast. */
export function fullText({ state, days_until_full: full }: SetForecast): string {
  if (state === 'not_enough_data') return t('full.notEnough')
  if (state === 'not_growing') return t('full.notGrowing')
  if (state === 'beyond_horizon' || full === null) return t('full.beyond')
  const early = Math.round(full.early)
  if (full.late === null) return t('full.inOpen', { days: days(full.middle), early })
  return t('full.in', { days: days(full.middle), early, late: Math.round(full.late) })
}
