import { setImmediate } from 'node:timers/promises'
import { forecastDays, forecastFull } from '@roost/capacity-core'
import { dayOf } from './day.js'
import type { DayStore, DeviceDays } from './day-store.js'
import type { DeviceForecast, ForecastStore } from './forecast-store.js'
import { limitOf, roundedDays } from './forecast-limit.js'

interface DeviceForecastsOptions {
  readonly days: Pick<DayStore, 'daysOfDevices'>
  readonly store: Pick<ForecastStore, 'save'>
  /** Unix milliseconds. */
  readonly now: () => number
}

/** A forecast takes about 0.04 ms: so many do not delay a request by more than a few milliseconds. */
const devicesAtOnce = 100

/** Returns a job that forecasts when each device will be full. */
export function createDeviceForecasts({ days, store, now }: DeviceForecastsOptions): () => Promise<void> {
  return async () => {
    const since = dayOf(now()) - forecastDays
    let batch = await days.daysOfDevices(since, 0, devicesAtOnce)
    while (batch.length > 0) {
      await store.save(batch.map(forecastOf), new Date(now()))
      await setImmediate()
      batch = await days.daysOfDevices(since, batch.at(-1)?.id ?? 0, devicesAtOnce)
    }
  }
}

function forecastOf({ id, rawBytes, days }: DeviceDays): DeviceForecast {
  const forecast = forecastFull(days, limitOf(rawBytes))
  return { id, daysUntilFull: forecast.state === 'forecast' ? roundedDays(forecast.daysUntilFull) : null }
}
