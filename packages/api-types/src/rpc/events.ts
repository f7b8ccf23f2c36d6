import { tracked } from '@trpc/server'
import { z } from 'zod'
import { EventTopic, maxId } from '../rest/index.js'
import type { EventBatch } from '../rest/index.js'
import { boundedText } from '../values/text.js'
import { never, read, router } from './procedures.js'

/** Of metrics that a subscriber watches, by their names; patterns are for polls. */
const WatchedMetrics = z.object({
  of: z.enum(['nodes', 'clusters']),
  id: z.int().min(1).max(maxId),
  names: z
    .array(boundedText(256).refine((name) => !name.includes('*'), 'Use names without *.'))
    .min(1)
    .max(50),
})
export type WatchedMetrics = z.infer<typeof WatchedMetrics>

const Mark = boundedText(64)
const EventsInput = z.object({
  topics: z.array(EventTopic).max(EventTopic.options.length),
  /** Only what belongs to this cluster, or to none. */
  cluster: z.int().min(1).max(maxId).optional(),
  metrics: z.array(WatchedMetrics).max(50).optional(),
  /** The `last` that was seen. */
  after: Mark.optional(),
  /** The same, which tRPC's client adds when it connects again. */
  lastEventId: Mark.optional(),
})

async function* trackedBatches(batches: AsyncIterable<EventBatch>) {
  for await (const batch of batches) yield tracked(batch.last, batch)
}

export const eventsRouter = router({
  /** Streams: what changes from now on, or after `after`. The first batch comes at once. */
  watch: read.input(EventsInput).subscription(({ ctx, input, signal }) => {
    const { topics, cluster, metrics, after, lastEventId = after } = input
    return trackedBatches(ctx.services.events.watch({ topics, cluster, metrics, after: lastEventId }, signal ?? never))
  }),
})
