import { RoostError } from '@roost/api-types/rest'
import type { EventBatch, EventTopic } from '@roost/api-types/rest'
import type { EventQuery, EventService } from '@roost/api-types/rpc'
import type { EventFeed, Subscriber } from './feed.js'

export interface EventServiceOptions {
  readonly feed: EventFeed
  /** Names this process: what another one sent cannot be continued here. */
  readonly process: string
}

const maxSubscribers = 500

/** Answers each subscriber from the feed. Nothing is queued: one that reads slowly gets what it has missed at once. */
export function createEventService({ feed, process }: EventServiceOptions): EventService {
  async function* watch(query: EventQuery, signal: AbortSignal): AsyncGenerator<EventBatch> {
    if (signal.aborted) return
    if (feed.size >= maxSubscribers) throw new RoostError('too_many', 'Too many clients follow changes.')
    let wake: (() => void) | undefined
    const subscriber: Subscriber = { asks: query.metrics ?? [], wake: () => wake?.() }
    const end = () => {
      feed.leave(subscriber)
      wake?.()
    }
    signal.addEventListener('abort', end)
    try {
      await feed.join(subscriber)
      yield* batches(query, signal, () => new Promise<void>((resolve) => (wake = resolve)))
    } finally {
      end()
      signal.removeEventListener('abort', end)
    }
  }

  async function* batches(
    { topics: named, cluster, metrics = [], after }: EventQuery,
    signal: AbortSignal,
    woken: () => Promise<void>,
  ): AsyncGenerator<EventBatch> {
    const { log, readings } = feed
    const topics: ReadonlySet<EventTopic> = new Set(named)
    let seen = after === undefined ? log.version : versionOf(after)
    let seenReadings = 0
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const { changes, listAgain } = log.since(seen, topics, cluster)
      const samples = readings.since(seenReadings, metrics)
      seen = log.version
      seenReadings = readings.version
      if (isFirst || changes.length + listAgain.length + samples.length > 0)
        yield { last: `${process}-${seen}`, events: [...changes], list_again: [...listAgain], metrics: [...samples] }
      if (!signal.aborted && seen === log.version && seenReadings === readings.version) await woken()
    }
  }

  /** Returns -1, before every version, for what another process sent. */
  function versionOf(last: string): number {
    const [sender, version = ''] = last.split('-')
    return sender === process && /^\d{1,15}$/.test(version) ? Number(version) : -1
  }

  return { watch }
}
