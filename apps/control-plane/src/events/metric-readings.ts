import type { MetricSample, WatchedSamples } from '@roost/api-types/rest'
import type { EventQuery, MetricService } from '@roost/api-types/rpc'

export type MetricAsk = NonNullable<EventQuery['metrics']>[number]

interface Watched {
  readonly ask: MetricAsk
  samples: readonly MetricSample[]
  /** Of all readings; rises with each that differs from the one before. */
  version: number
  /** Monotonic milliseconds. */
  readAtMs: number
}

/** A value of a cluster is made from all of its nodes: it is read once in a report interval. */
const periodMs = { nodes: 1_000, clusters: 10_000 } as const

/** Reads the metrics that subscribers watch, once for all of them. */
export class MetricReadings {
  readonly #metrics: Pick<MetricService, 'pollNode' | 'pollCluster'>
  #watched = new Map<string, Watched>()
  #version = 0

  constructor(metrics: Pick<MetricService, 'pollNode' | 'pollCluster'>) {
    this.#metrics = metrics
  }

  get version(): number {
    return this.#version
  }

  /** Reads what is due of what is asked for now, and forgets everything else. */
  async read(asks: Iterable<MetricAsk>, atMs: number): Promise<void> {
    const wanted = new Map([...asks].map((ask) => [keyOf(ask), ask]))
    for (const key of this.#watched.keys()) if (!wanted.has(key)) this.#watched.delete(key)
    for (const [key, ask] of wanted) {
      const known = this.#watched.get(key) ?? { ask, samples: [], version: 0, readAtMs: -Infinity }
      this.#watched.set(key, known)
      if (atMs - known.readAtMs >= periodMs[ask.of]) await this.#readOne(known, atMs)
    }
  }

  /** Returns what was asked for and is newer than a version. */
  since(version: number, asks: readonly MetricAsk[]): readonly WatchedSamples[] {
    return asks.flatMap((ask) => {
      const known = this.#watched.get(keyOf(ask))
      if (known === undefined || known.version <= version) return []
      return [{ of: ask.of, id: ask.id, samples: [...known.samples] }]
    })
  }

  async #readOne(known: Watched, atMs: number): Promise<void> {
    const { of, id, names } = known.ask
    known.readAtMs = atMs
    const poll = of === 'nodes' ? this.#metrics.pollNode(id, names) : this.#metrics.pollCluster(id, names)
    // A node or cluster that does not exist, or not any more, has no values.
    const { metrics } = await poll.catch(() => ({ metrics: [] }))
    if (metrics.length === 0 || isSame(known.samples, metrics)) return
    known.samples = metrics
    known.version = this.#version += 1
  }
}

function keyOf({ of, id, names }: MetricAsk): string {
  return `${of} ${id} ${names.join(',')}`
}

/** The time of what has no value moves with every poll. */
function isSame(one: readonly MetricSample[], other: readonly MetricSample[]): boolean {
  return (
    one.length === other.length &&
    one.every(
      ({ value, timestamp }, i) => value === other[i]?.value && (value === null || timestamp === other[i].timestamp),
    )
  )
}
