import { z } from 'zod'

export const PercentUsedStats = z
  .object({
    count: z.int(),
    min: z.number(),
    max: z.number(),
    avg: z.number(),
    stddev: z.number(),
    pct_95: z.number(),
  })
  .meta({ id: 'PercentUsedStats' })

/** One element per unique, unordered set of policies that a device is assigned to. TB are 10^12 bytes. */
export const CapacityElement = z
  .object({
    ring_set: z.string(),
    total_raw_tb: z.number(),
    total_used_tb: z.number(),
    total_free_tb: z.number(),
    total_used_pct: z.number(),
    pct_used_stats: PercentUsedStats,
  })
  .meta({ id: 'CapacityElement' })
export type CapacityElement = z.infer<typeof CapacityElement>

export const Capacity = z.object({ capacity: z.array(CapacityElement) }).meta({ id: 'Capacity' })
export type Capacity = z.infer<typeof Capacity>
