import { randomBytes } from 'node:crypto'
import type { EventService, MetricService } from '@roost/api-types/rpc'
import { systemClock } from '@roost/runtime'
import type { Stoppable } from '@roost/runtime'
import type { Database } from '../database/database.js'
import { healthChanges } from '../events/health-changes.js'
import { EventFeed } from '../events/feed.js'
import { createEventService } from '../events/service.js'
import { createChangeStore } from '../events/store.js'
import { every } from '../jobs/every.js'
import type { ContextOptions } from './options.js'

/** Longer than a subscriber can be disconnected and go on. */
const keptMs = 120_000

export interface Events {
  readonly service: EventService
  /** Counts the changes that were read; only while somebody follows them. */
  readonly changes: () => { readonly version: number; readonly isFollowed: boolean }
  /** Gets the clusters of each round of the health. */
  readonly judged: (clusters: Parameters<ReturnType<typeof healthChanges>>[0]) => void
  readonly jobs: readonly Stoppable[]
}

/** Builds the stream of changes, and the removal of old ones. */
export function buildEvents(database: Database, { log, now }: ContextOptions, metrics: () => MetricService): Events {
  const store = createChangeStore(database)
  const changesOf = healthChanges()
  const feed = new EventFeed({
    store,
    clock: systemClock,
    metrics: {
      pollNode: (id, names) => metrics().pollNode(id, names),
      pollCluster: (id, names) => metrics().pollCluster(id, names),
    },
  })
  const removeOld = () => store.removeBefore(new Date(now() - keptMs))
  return {
    service: createEventService({ feed, process: randomBytes(6).toString('hex') }),
    changes: () => ({ version: feed.log.version, isFollowed: feed.size > 0 }),
    judged: (clusters) => feed.publish(changesOf(clusters)),
    jobs: [every(60_000, 'remove old changes', removeOld, log), feed],
  }
}
