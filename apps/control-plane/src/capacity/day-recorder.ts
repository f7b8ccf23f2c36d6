import type { CountedDevice, LiveDevices } from './live-devices.js'
import { dayOf } from './day.js'
import type { CapacityDay, DayStore, DeviceDay } from './day-store.js'

interface DayRecorderOptions {
  readonly live: Pick<LiveDevices, 'clusterIds' | 'devices' | 'capacityOf'>
  readonly store: Pick<DayStore, 'saveDevices' | 'saveSets'>
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Growth of less than this share of a device waits for the next day: each row that is written again costs as much as a new one. */
const leastGrowth = 0.001

/** Returns a job that records the largest use of the day of each device and of each set of policies. */
export function createDayRecorder({ live, store, now }: DayRecorderOptions): () => Promise<void> {
  const saved = new Map<number, number>()
  let savedDay = -1
  return async () => {
    const day = dayOf(now())
    if (day !== savedDay) saved.clear()
    savedDay = day
    const devices = [...live.devices()].filter((device) => dayOf(device.time * 1000) === day && isNew(device, saved))
    await store.saveDevices(day, devices.map(dayOfDevice))
    for (const { id, usage } of devices) saved.set(id, usage.usedBytes)
    await store.saveSets(day, setsOf(live))
  }
}

function isNew({ id, usage }: CountedDevice, saved: ReadonlyMap<number, number>): boolean {
  const before = saved.get(id)
  return before === undefined || usage.usedBytes - before > leastGrowth * usage.rawBytes
}

function dayOfDevice({ id, usage }: CountedDevice): DeviceDay {
  return { id, usedBytes: usage.usedBytes, rawBytes: usage.rawBytes }
}

/** A set of which no device could be read has no day. */
function setsOf(live: DayRecorderOptions['live']): readonly CapacityDay[] {
  return [...live.clusterIds()].flatMap((clusterId) =>
    live.capacityOf(clusterId).flatMap(({ policies, rawBytes, usedBytes, freeBytes, percentUsed: { max, pct95 } }) => {
      if (rawBytes === 0) return []
      return [{ clusterId, policySet: policies.join(), rawBytes, usedBytes, freeBytes, fullestPct: max, pct95 }]
    }),
  )
}
