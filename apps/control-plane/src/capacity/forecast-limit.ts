import type { DaysUntilFull } from '@roost/capacity-core'

/** Swift refuses writes to a device below its `fallocate_reserve`, 1 % by default, and needs some more to move partitions. */
export const limitPct = 98

/** Returns the size of a device, or of all devices of a set, with the use at which it counts as full. */
export function limitOf(rawBytes: number) {
  return { sizeBytes: rawBytes, limitBytes: (rawBytes * limitPct) / 100 }
}

/** Returns the days with one decimal: a forecast is not more exact. */
export function roundedDays({ early, middle, late }: DaysUntilFull): DaysUntilFull {
  return { early: rounded(early), middle: rounded(middle), late: late === null ? null : rounded(late) }
}

const rounded = (days: number) => Math.round(days * 10) / 10
