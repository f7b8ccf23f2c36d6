import type { EventBatch, EventTopic } from '../rest/index.js'

/** What a subscriber of changes asks for. */
export interface EventQuery {
  readonly topics: readonly EventTopic[]
  /** Only what belongs to this cluster, or to none. */
  readonly cluster?: number | undefined
  /** By names without patterns. */
  readonly metrics?:
    | readonly { readonly of: 'nodes' | 'clusters'; readonly id: number; readonly names: readonly string[] }[]
    | undefined
  /** The `last` of the batch that was seen; what came after it follows, or `list_again` where it is too long ago. */
  readonly after?: string | undefined
}

/** Changes of records, by their ids, at most once a second. */
export interface EventService {
  /** A batch at once, then one whenever something has changed, until the signal aborts. Nothing is queued for a slow subscriber. */
  watch(query: EventQuery, signal: AbortSignal): AsyncIterable<EventBatch>
}
