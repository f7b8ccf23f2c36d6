import { z } from 'zod'
import { relationUri } from './dialect/uri.js'
import { DeviceStatus } from './device.js'
import { ConfigState, NodeState } from './node.js'

const Count = z.int().min(0)

/** What a first look at a cluster needs, in one small answer. */
export const ClusterSummary = z
  .object({
    cluster: relationUri('clusters'),
    made: z.iso.datetime(),
    nodes: z.object({
      total: Count,
      states: z.partialRecord(NodeState, Count).meta({ description: 'Without states that no node has' }),
      config_states: z.partialRecord(ConfigState, Count),
    }),
    devices: z.object({ total: Count, statuses: z.partialRecord(DeviceStatus, Count) }),
    verdict: z
      .enum(['ok', 'warn', 'critical'])
      .nullable()
      .meta({ description: 'Of the health, which is judged every 30 s; null before the first time' }),
    rings_agree: z.boolean().nullable().meta({ description: 'Null while no node has reported a ring' }),
    unfinished_jobs: Count.meta({ description: 'Deployments and upgrades of agents' }),
    newest_reading: z.iso.datetime().nullable().meta({ description: 'When a node was heard last' }),
  })
  .meta({
    id: 'ClusterSummary',
    examples: [
      {
        cluster: '/api/v1/clusters/1/',
        made: '2026-11-26T09:12:16.000Z',
        nodes: { total: 12, states: { online: 11, offline: 1 }, config_states: { synced: 12 } },
        devices: { total: 96, statuses: { ok: 95, failed: 1 } },
        verdict: 'warn',
        rings_agree: true,
        unfinished_jobs: 0,
        newest_reading: '2026-11-26T09:12:14.120Z',
      },
    ],
  })
export type ClusterSummary = z.infer<typeof ClusterSummary>
