import { z } from 'zod'
import { MetricSample } from '../measured/metric.js'

/** What can be followed. Each topic has the changes of some resources. */
export const EventTopic = z.enum([
  'alerts',
  'nodes',
  'devices',
  'shares',
  'users',
  'jobs',
  'drift',
  'audit',
  'health',
  'capacity',
  'sessions',
])
export type EventTopic = z.infer<typeof EventTopic>

/** That a record has changed. What it is now is read from its resource. */
export const ChangeEvent = z
  .object({
    topic: EventTopic,
    resource: z
      .string()
      .meta({ description: 'Its resource, such as gateway_deployments; clusters for health and capacity' }),
    id: z.int(),
    cluster: z.int().nullable().meta({ description: 'Id of the cluster; null for what belongs to none' }),
    change: z.enum(['created', 'changed', 'removed']),
    fields: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .optional()
      .meta({ description: 'The short fields that have changed, such as state; all of them for a new record' }),
  })
  .meta({ id: 'ChangeEvent' })
export type ChangeEvent = z.infer<typeof ChangeEvent>

/** The latest values of what a subscriber asked for, once per reading. */
export const WatchedSamples = z.object({
  of: z.enum(['nodes', 'clusters']),
  id: z.int(),
  samples: z.array(MetricSample),
})
export type WatchedSamples = z.infer<typeof WatchedSamples>

/** What has happened since the last one, at most once a second. */
export const EventBatch = z
  .object({
    last: z.string().meta({ description: 'Names what was seen: send it as `after` to go on from here' }),
    events: z.array(ChangeEvent),
    list_again: z
      .array(EventTopic)
      .meta({ description: 'Topics of which more has changed than is kept: read their lists again' }),
    metrics: z.array(WatchedSamples),
  })
  .meta({
    id: 'EventBatch',
    examples: [
      {
        last: 'k3v9-17',
        events: [
          { topic: 'nodes', resource: 'nodes', id: 7, cluster: 1, change: 'changed', fields: { state: 'offline' } },
        ],
        list_again: [],
        metrics: [],
      },
    ],
  })
export type EventBatch = z.infer<typeof EventBatch>
