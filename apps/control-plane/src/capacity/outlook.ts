import { forecastDays, forecastFull } from '@roost/capacity-core'
import type { DaysUntilFull, PolicySetCapacity } from '@roost/capacity-core'
import type { LiveDevices } from './live-devices.js'
import { dayOf } from './day.js'
import type { DayStore } from './day-store.js'
import { limitOf, roundedDays } from './forecast-limit.js'
import { ringSetName } from './ring-set.js'
import type { CapacityStore } from './store.js'

/** What checks judge of the devices of a set of policies. */
export interface SetOutlook {
  /** The names of its policies. */
  readonly ringSet: string
  /** Percent in use; null while no device could be read. */
  readonly fullness: {
    readonly usedPercent: number
    /** Of its devices. */
    readonly average: number
    readonly pct95: number
  } | null
  /** Null if they do not fill within the horizon; undefined while there are too few days for a forecast. */
  readonly daysUntilFull: DaysUntilFull | null | undefined
}

export interface OutlookOptions {
  readonly live: Pick<LiveDevices, 'capacityOf'>
  readonly days: Pick<DayStore, 'daysOfSets'>
  readonly store: Pick<CapacityStore, 'policyNames'>
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Reads how full the sets of policies of a cluster are, and when they will be full. */
export async function outlookOf({ live, days, store, now }: OutlookOptions, clusterId: number) {
  const sets = live.capacityOf(clusterId)
  if (sets.length === 0) return []
  const [names, daysOfSets] = await Promise.all([
    store.policyNames(clusterId),
    days.daysOfSets(clusterId, dayOf(now()) - forecastDays),
  ])
  return sets.map((set): SetOutlook => {
    const { policies } = set
    const daysUntilFull = untilFull(set, daysOfSets.get(policies.join()) ?? [])
    return { ringSet: ringSetName(policies, names), fullness: fullnessOf(set), daysUntilFull }
  })
}

function fullnessOf({ rawBytes, usedPct: usedPercent, percentUsed }: PolicySetCapacity): SetOutlook['fullness'] {
  if (rawBytes === 0) return null
  return { usedPercent, average: percentUsed.avg, pct95: percentUsed.pct95 }
}

function untilFull({ rawBytes }: PolicySetCapacity, days: Parameters<typeof forecastFull>[0]) {
  const forecast = forecastFull(days, limitOf(rawBytes))
  if (forecast.state === 'not_enough_data') return undefined
  return forecast.state === 'forecast' ? roundedDays(forecast.daysUntilFull) : null
}
