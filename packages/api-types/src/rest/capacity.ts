import { z } from 'zod'
import { DaysUntilFull } from './device.js'
import { relationUri } from './dialect/uri.js'

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

const daily = z.array(z.number().nullable())

/** One value for each day in the order of days: the reading of the day with the most used bytes; null without a reading. */
export const CapacityHistoryElement = z
  .object({
    ring_set: z.string(),
    total_raw_tb: daily,
    total_used_tb: daily,
    total_free_tb: daily,
    total_used_pct: daily,
    pct_used_stats: z.object({ max: daily, pct_95: daily }),
  })
  .meta({ id: 'CapacityHistoryElement' })
export type CapacityHistoryElement = z.infer<typeof CapacityHistoryElement>

export const CapacityHistory = z
  .object({
    meta: z.object({
      start: z.int().meta({ description: 'Start of the first day (UTC), in Unix seconds' }),
      step: z.int().meta({ description: 'Seconds from one point to the next: a day' }),
      points: z.int(),
      level: z.literal('day'),
      complete_until: z.int().meta({ description: 'Unix seconds; the points of later days can still rise' }),
    }),
    capacity: z.array(CapacityHistoryElement),
  })
  .meta({
    id: 'CapacityHistory',
    examples: [
      {
        meta: { start: 1_795_046_400, step: 86_400, points: 3, level: 'day' as const, complete_until: 1_795_219_200 },
        capacity: [
          {
            ring_set: 'gold',
            total_raw_tb: [8, null, 8],
            total_used_tb: [4, null, 4.2],
            total_free_tb: [4, null, 3.8],
            total_used_pct: [50, null, 52.5],
            pct_used_stats: { max: [75, null, 78], pct_95: [75, null, 78] },
          },
        ],
      },
    ],
  })
export type CapacityHistory = z.infer<typeof CapacityHistory>

/** `devices[i]` are how many devices are used from `i * step` percent on and below the next step; the last has those at 100. */
export const RingSetFullness = z
  .object({ ring_set: z.string(), devices: z.array(z.int()) })
  .meta({ id: 'RingSetFullness' })
export type RingSetFullness = z.infer<typeof RingSetFullness>

/** The devices of a node in a ring, by name. `used_pct` is null where it is not known. */
export const NodeFullness = z
  .object({
    node: relationUri('nodes'),
    devices: z.array(
      z.object({
        device: relationUri('devices'),
        name: z.string(),
        status: z.string(),
        used_pct: z.number().nullable(),
      }),
    ),
  })
  .meta({ id: 'NodeFullness' })
export type NodeFullness = z.infer<typeof NodeFullness>

export const CapacityFullness = z
  .object({
    cluster: relationUri('clusters'),
    step: z.int().meta({ description: 'Percent of a step' }),
    fullness: z.array(RingSetFullness),
    nodes: z.array(NodeFullness).optional().meta({ description: 'With `by_node`' }),
  })
  .meta({
    id: 'CapacityFullness',
    examples: [
      {
        cluster: '/api/v1/clusters/1/',
        step: 25,
        fullness: [{ ring_set: 'gold', devices: [0, 3, 9, 0] }],
        nodes: [
          {
            node: '/api/v1/nodes/7/',
            devices: [{ device: '/api/v1/devices/91/', name: 'd3', status: 'ok', used_pct: 71.3 }],
          },
        ],
      },
    ],
  })
export type CapacityFullness = z.infer<typeof CapacityFullness>

/** The device of a set that will be full first. Swift refuses writes to a full device long before all are. */
const FirstFullDevice = z.object({ device: relationUri('devices'), days_until_full: DaysUntilFull })

export const RingSetForecast = z
  .object({
    ring_set: z.string(),
    state: z.enum(['not_enough_data', 'not_growing', 'beyond_horizon', 'forecast']).meta({
      description:
        '`not_enough_data`: fewer than 14 days, or more than 30 % of them are missing. ' +
        '`beyond_horizon`: even fast growth takes more than a year, or more than twice the days that were seen.',
    }),
    limit_pct: z.number().meta({ description: 'Percent of the raw bytes at which it counts as full' }),
    used_pct: z.number(),
    growth_bytes_a_day: z.number().nullable(),
    days_until_full: DaysUntilFull.nullable(),
    fullest_device: FirstFullDevice.nullable().meta({ description: 'The device that will be full first' }),
    history_days: z.int().meta({ description: 'Days that were looked at, 42 at most' }),
    shifts: z.array(z.iso.date()).meta({
      description:
        'Days on which the level changed at once, such as by new devices. Growth is not counted across them.',
    }),
    oldest_reading: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'Oldest reading that counts: the last one of a device whose node is offline' }),
  })
  .meta({ id: 'RingSetForecast' })
export type RingSetForecast = z.infer<typeof RingSetForecast>

export const CapacityForecast = z
  .object({ cluster: relationUri('clusters'), made: z.iso.datetime(), forecast: z.array(RingSetForecast) })
  .meta({
    id: 'CapacityForecast',
    examples: [
      {
        cluster: '/api/v1/clusters/1/',
        made: '2026-11-22T10:00:00.000Z',
        forecast: [
          {
            ring_set: 'gold',
            state: 'forecast' as const,
            limit_pct: 98,
            used_pct: 71.3,
            growth_bytes_a_day: 412_000_000_000,
            days_until_full: { early: 48, middle: 61.5, late: 90 },
            fullest_device: {
              device: '/api/v1/devices/91/',
              days_until_full: { early: 19, middle: 24.2, late: 41 },
            },
            history_days: 42,
            shifts: ['2026-11-03'],
            oldest_reading: '2026-11-22T09:59:50.000Z',
          },
        ],
      },
    ],
  })
export type CapacityForecast = z.infer<typeof CapacityForecast>
