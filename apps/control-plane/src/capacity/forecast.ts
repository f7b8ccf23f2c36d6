import { forecastDays, forecastFull } from '@roost/capacity-core'
import type { DailyMaximum, PolicySetCapacity } from '@roost/capacity-core'
import { resourceUri } from '@roost/api-types/rest'
import type { CapacityForecast, RingSetForecast } from '@roost/api-types/rest'
import type { CountedDevice, LiveDevices } from './live-devices.js'
import { dateOf, dayOf } from './day.js'
import type { DayStore } from './day-store.js'
import type { FirstFull, ForecastStore } from './forecast-store.js'
import { limitOf, limitPct, roundedDays } from './forecast-limit.js'

export interface ForecastOptions {
  readonly live: Pick<LiveDevices, 'capacityOf' | 'devices'>
  readonly days: Pick<DayStore, 'daysOfSets'>
  readonly forecasts: Pick<ForecastStore, 'firstFull'>
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Forecasts when each set of policies of a cluster will be full. `ringSet` names a set. */
export async function forecastCluster(
  { live, days, forecasts, now }: ForecastOptions,
  clusterId: number,
  ringSet: (set: PolicySetCapacity) => string,
): Promise<CapacityForecast> {
  const [daysOfSets, firstFull] = await Promise.all([
    days.daysOfSets(clusterId, dayOf(now()) - forecastDays),
    forecasts.firstFull(clusterId),
  ])
  const oldest = oldestReadings(live.devices(clusterId))
  const forecast = live.capacityOf(clusterId).map((set) => {
    const key = set.policies.join()
    const seen = { days: daysOfSets.get(key) ?? [], firstFull: firstFull.get(key), oldest: oldest.get(key) }
    return { ring_set: ringSet(set), ...forecastOf(set, seen) }
  })
  return { cluster: resourceUri('clusters', clusterId), made: new Date(now()).toISOString(), forecast }
}

interface Seen {
  readonly days: readonly DailyMaximum[]
  readonly firstFull: FirstFull | undefined
  /** Unix seconds. */
  readonly oldest: number | undefined
}

function forecastOf(
  { rawBytes, usedPct }: PolicySetCapacity,
  { days, firstFull, oldest }: Seen,
): Omit<RingSetForecast, 'ring_set'> {
  const forecast = forecastFull(days, limitOf(rawBytes))
  return {
    state: forecast.state,
    limit_pct: limitPct,
    used_pct: usedPct,
    growth_bytes_a_day: forecast.state === 'not_enough_data' ? null : Math.round(forecast.growthBytesADay),
    days_until_full: forecast.state === 'forecast' ? roundedDays(forecast.daysUntilFull) : null,
    fullest_device:
      firstFull === undefined
        ? null
        : { device: resourceUri('devices', firstFull.id), days_until_full: firstFull.daysUntilFull },
    history_days: forecast.historyDays,
    shifts: forecast.shifts.map(dateOf),
    oldest_reading: oldest === undefined ? null : new Date(oldest * 1000).toISOString(),
  }
}

function oldestReadings(devices: Iterable<CountedDevice>): ReadonlyMap<string, number> {
  const oldest = new Map<string, number>()
  for (const { policies, time } of devices) {
    const key = policies.join()
    oldest.set(key, Math.min(time, oldest.get(key) ?? Infinity))
  }
  return oldest
}
