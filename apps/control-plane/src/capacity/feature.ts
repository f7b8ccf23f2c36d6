import type { CapacityService } from '@roost/api-types/rpc'
import type { Log } from '../lifecycle/log.js'
import { logged } from '../services/errors.js'
import { createDayRecorder } from './day-recorder.js'
import type { DayStore } from './day-store.js'
import { createDeviceForecasts } from './device-forecasts.js'
import type { ForecastStore } from './forecast-store.js'
import { createCapacityIntake } from './intake.js'
import type { CapacityIntake } from './intake.js'
import { createLiveDevices } from './live-devices.js'
import type { LiveDevices } from './live-devices.js'
import { outlookOf } from './outlook.js'
import type { SetOutlook } from './outlook.js'
import { createCapacityService } from './service.js'
import type { CapacityStore } from './store.js'
import { createUsageWriter } from './usage-writer.js'
import type { UsageWriter } from './usage-writer.js'

export interface CapacityOptions {
  readonly store: CapacityStore
  readonly days: DayStore
  readonly forecasts: ForecastStore
  /** Unix milliseconds. */
  readonly now: () => number
  /** Throws `not_found`. */
  readonly requireCluster: (id: number) => Promise<unknown>
  readonly log: Pick<Log, 'info' | 'warn'>
}

export interface CapacityFeature {
  readonly service: CapacityService
  readonly intake: CapacityIntake
  readonly writer: UsageWriter
  readonly usageOf: LiveDevices['usageOf']
  /** Returns what checks judge of the sets of policies of a cluster. */
  readonly outlookOf: (clusterId: number) => Promise<readonly SetOutlook[]>
  readonly readingOf: LiveDevices['readingOf']
  /** Returns the raw bytes of the devices of a policy. */
  readonly rawOf: (clusterId: number, policyIndex: number) => number
  /** Records the use of this day, which forecasts need. */
  readonly recordDay: () => Promise<void>
  /** Forecasts when each device will be full. */
  readonly forecastDevices: () => Promise<void>
}

/** Keeps the usage of devices in memory: the service, the intake and the writer to the database. */
export function createCapacity({ store, days, forecasts, requireCluster, log, now }: CapacityOptions): CapacityFeature {
  const live = createLiveDevices()
  const writer = createUsageWriter(store, {
    failed: (error) => log.warn(logged(error), 'could not save device usage, kept in memory'),
    dropped: ({ id, nodeId }, err) =>
      log.warn({ err, nodeId, device: id }, 'dropped the usage of a device that the database refuses'),
    recovered: () => log.info('device usage is saved again'),
    newest: (usage) => live.newest(usage),
  })
  return {
    service: createCapacityService({ live, store, days, forecasts, requireCluster, now }),
    intake: createCapacityIntake({ live, store, writer }),
    writer,
    usageOf: (id) => live.usageOf(id),
    outlookOf: (clusterId) => outlookOf({ live, days, store, now }, clusterId),
    readingOf: (id) => live.readingOf(id),
    rawOf: (clusterId, index) =>
      live
        .capacityOf(clusterId)
        .filter(({ policies }) => policies.includes(index))
        .reduce((sum, { rawBytes }) => sum + rawBytes, 0),
    recordDay: createDayRecorder({ live, store: days, now }),
    forecastDevices: createDeviceForecasts({ days, store: forecasts, now }),
  }
}
