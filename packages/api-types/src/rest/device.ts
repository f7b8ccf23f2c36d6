import { z } from 'zod'
import { byId, throughCluster, throughNode } from './dialect/rules.js'
import type { ResourceRules } from './dialect/rules.js'
import { relationUri, ResourceUri } from './dialect/uri.js'

/** `unmanaged`: a filesystem that no ring and no configuration claims; `retired`: a device that left all rings. */
export const DeviceStatus = z.enum(['ok', 'unmounted', 'missing', 'failed', 'unmanaged', 'retired'])
export type DeviceStatus = z.infer<typeof DeviceStatus>

export const DeviceRing = z.object({
  ring: z.string().meta({ description: '`account`, `container`, `object`, `object-1` …' }),
  policy: z.string().nullable().meta({ description: 'Storage policy of an object ring; null for the others' }),
  region: z.int(),
  zone: z.int(),
  weight: z.number(),
  partitions: z.int().meta({ description: 'Partitions that the ring assigns to the device, counting each replica' }),
  replication_ip: z.string(),
  replication_port: z.int(),
})
export type DeviceRing = z.infer<typeof DeviceRing>

export const DaysUntilFull = z
  .object({
    early: z.number().meta({ description: 'By fast growth' }),
    middle: z.number(),
    late: z.number().nullable().meta({ description: 'By slow growth; null if that does not grow at all' }),
  })
  .meta({ id: 'DaysUntilFull', description: 'Days, with one decimal' })

/** Bytes are exact below 2^53. They are null until the filesystem of the device was read once. */
export const Device = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    node: relationUri('nodes'),
    cluster: relationUri('clusters'),
    name: z.string(),
    uuid: z.string().nullable().meta({ description: 'UUID of the filesystem' }),
    serial: z.string().nullable(),
    model: z.string().nullable(),
    mount_point: z.string().nullable(),
    fs_type: z.string().nullable(),
    is_rotational: z.boolean().nullable(),
    size_bytes: z.int().nullable(),
    raw_bytes: z.int().nullable(),
    used_bytes: z.int().nullable(),
    free_bytes: z.int().nullable(),
    used_pct: z.number().nullable(),
    status: DeviceStatus,
    policies: z.array(z.string()),
    rings: z.array(DeviceRing).meta({ description: 'Its entry in each ring; empty where no ring lists it' }),
    is_drained: z.boolean().meta({ description: 'Its weight is 0 in all of its rings' }),
    days_until_full: DaysUntilFull.nullable().meta({ description: 'Null where there is no forecast; made each hour' }),
    last_seen: z.iso.datetime().nullable(),
  })
  .meta({
    id: 'Device',
    examples: [
      {
        id: 31,
        resource_uri: '/api/v1/devices/31/',
        node: '/api/v1/nodes/7/',
        cluster: '/api/v1/clusters/1/',
        name: 'd3',
        uuid: '0c9f8a51-2f6f-4e9b-8d1d-6f3f5d0f3c11',
        serial: 'WD-WX41A1234567',
        model: 'WDC WUH721818AL',
        mount_point: '/srv/node/d3',
        fs_type: 'xfs',
        is_rotational: true,
        size_bytes: 18_000_207_937_536,
        raw_bytes: 17_990_000_000_000,
        used_bytes: 7_196_000_000_000,
        free_bytes: 10_794_000_000_000,
        used_pct: 40,
        status: 'ok' as const,
        policies: ['gold'],
        rings: [
          {
            ring: 'object',
            policy: 'gold',
            region: 1,
            zone: 2,
            weight: 18_000,
            partitions: 3_276,
            replication_ip: '10.1.0.7',
            replication_port: 6200,
          },
        ],
        is_drained: false,
        days_until_full: { early: 19, middle: 24.2, late: 41 },
        last_seen: '2026-11-20T19:00:00.000Z',
      },
    ],
  })
export type Device = z.infer<typeof Device>

export const deviceRules = {
  filters: { ...byId, q: 'part', ...throughNode, ...throughCluster, status: 'text', name: 'text', policy: 'text' },
  ordering: ['id', 'name', 'node', 'cluster', 'status', 'serial', 'size_bytes', 'days_until_full', 'last_seen'],
  observed: [
    'raw_bytes',
    'used_bytes',
    'free_bytes',
    'used_pct',
    'status',
    'rings',
    'is_drained',
    'days_until_full',
    'last_seen',
  ],
} as const satisfies ResourceRules
