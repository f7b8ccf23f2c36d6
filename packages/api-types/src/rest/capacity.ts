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

export const Capacity = z.object({ capacity: z.array(CapacityElement) }).meta({
  id: 'Capacity',
  examples: [
    {
      capacity: [
        {
          ring_set: 'gold,silver',
          total_raw_tb: 8,
          total_used_tb: 4,
          total_free_tb: 4,
          total_used_pct: 50,
          pct_used_stats: { count: 2, min: 25, max: 75, avg: 50, stddev: 35.35533905932738, pct_95: 75 },
        },
      ],
    },
  ],
})
export type Capacity = z.infer<typeof Capacity>
