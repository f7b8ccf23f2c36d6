import { gauge, rate } from '../engine/metric.js'
import type { Measurement, Unit } from '../engine/metric.js'
import { Histogram } from '../../swift/statsd/histogram.js'
import { newStatsdLine, parseStatsdLine } from '../../swift/statsd/line.js'
import { statusOf } from '../../swift/statsd/responses.js'
import type { Responses } from '../../swift/statsd/responses.js'
import { NameTable, cleaned, hashOf, serverStart } from '../../swift/statsd/names.js'

interface Series {
  readonly name: string
  readonly unit: Unit
}

/** The events of one name since the last reading. */
interface Entry {
  readonly key: Uint8Array
  readonly hash: number
  readonly isTimer: boolean
  /** The first part of the name. */
  readonly family: string
  readonly series: readonly Series[]
  readonly seriesBytes: number
  /** Of a timer of the proxy's answers. */
  readonly status: number | undefined
  /** Undefined for a counter. */
  readonly histogram: Histogram | undefined
  /** 0 for a timer. */
  sum: number
  received: boolean
  receivedAt: number
  /** The time from which `sum` or `histogram` count. */
  since: number
  published: boolean
}

const newline = 10
const shares = [0.5, 0.95, 0.99]

// A new catalog is a hundred kilobytes to send and to store; an idle name is eight bytes in a report. So new names are
// published at most this often, and idle names are removed rarely and together.
const publishEveryMs = 30_000
const sweepEveryMs = 3_600_000
/** Daily work keeps its names. */
const idleMs = 24 * 3_600_000
/** Idle names are removed sooner while others are dropped. */
const idleWhenFullMs = 3_600_000

/** The size of a metric in a catalog beside its name. A catalog stays far below the 1 MiB of a message. */
const definitionBytes = 64
const maxCatalogueBytes = 512 << 10

/**
 * Folds Swift's counters and timers into metrics of the time since the last reading. Times are in milliseconds of a clock that
 * never jumps. The limits are `maxNames`, half of them for each family (the first part of a name), so that a flood of one
 * leaves space for the others, and the size of the catalog. Events beyond the limits are counted and dropped.
 */
export class StatsdFold {
  readonly #maxNames: number
  readonly #table: NameTable<Entry>
  readonly #line = newStatsdLine()
  #entries: Entry[] = []
  readonly #families = new Map<string, number>()
  #catalogueBytes = 0
  #datagrams = 0
  #malformed = 0
  #dropped = 0
  #droppedAtSweep = 0
  #answers = 0
  #failures = 0
  #readAt: number
  #sweptAt: number
  #publishedAt = -Infinity

  constructor(maxNames: number, at: number) {
    this.#maxNames = maxNames
    this.#table = new NameTable(maxNames)
    this.#readAt = at
    this.#sweptAt = at
  }

  /** Adds the lines of one datagram. */
  add(bytes: Uint8Array): void {
    this.#datagrams++
    for (let start = 0; start < bytes.length;) {
      let end = start
      while (end < bytes.length && bytes[end] !== newline) end++
      if (end > start) this.#addLine(bytes, start, end)
      start = end + 1
    }
  }

  #addLine(bytes: Uint8Array, start: number, end: number): void {
    const line = this.#line
    if (!parseStatsdLine(bytes, start, end, line)) {
      this.#malformed++
      return
    }
    line.nameStart = serverStart(bytes, start, line.nameEnd)
    const entry = this.#table.find(bytes, line.nameStart, line.nameEnd, line.isTimer) ?? this.#admit(bytes)
    if (entry === undefined) {
      this.#dropped++
      return
    }
    entry.received = true
    if (entry.status !== undefined) this.#answers += line.weight
    if (entry.status !== undefined && entry.status >= 500) this.#failures += line.weight
    if (entry.histogram === undefined) entry.sum += line.value * line.weight
    else entry.histogram.add(line.value, line.weight)
  }

  /** Adds a new name; undefined when a limit is reached. */
  #admit(bytes: Uint8Array): Entry | undefined {
    const { nameStart, nameEnd, isTimer } = this.#line
    // A flood of new names ends here, without a cost in memory.
    if (this.#entries.length >= this.#maxNames) return undefined
    const key = cleaned(bytes, nameStart, nameEnd)
    const name = key.toString('latin1')
    const family = name.slice(0, name.indexOf('.') >>> 0)
    const series = isTimer ? timerSeries(name) : counterSeries(name)
    const seriesBytes = series.reduce((sum, one) => sum + one.name.length + definitionBytes, 0)
    const siblings = this.#families.get(family) ?? 0
    if (siblings >= Math.ceil(this.#maxNames / 2)) return undefined
    if (this.#catalogueBytes + seriesBytes > maxCatalogueBytes) return undefined
    const entry: Entry = {
      key,
      hash: hashOf(bytes, nameStart, nameEnd, isTimer),
      isTimer,
      family,
      series,
      seriesBytes,
      status: isTimer ? statusOf(name) : undefined,
      histogram: isTimer ? new Histogram() : undefined,
      sum: 0,
      received: true,
      receivedAt: this.#readAt,
      since: this.#readAt,
      published: false,
    }
    this.#families.set(family, siblings + 1)
    this.#catalogueBytes += seriesBytes
    this.#entries.push(entry)
    this.#table.add(entry)
    return entry
  }

  /** Returns the answers of the proxy since the last call. */
  readResponses(): Responses {
    const responses = { total: this.#answers, errors: this.#failures }
    this.#answers = 0
    this.#failures = 0
    return responses
  }

  /** Returns the metrics since the last reading. A new name keeps its events until it is published. */
  read(at: number): readonly Measurement[] {
    for (const entry of this.#entries) {
      if (entry.received) entry.receivedAt = at
      entry.received = false
    }
    if (at - this.#sweptAt >= sweepEveryMs) this.#sweep(at)
    this.#publish(at)
    this.#readAt = at
    return [...this.#health(), ...this.#entries.flatMap((entry) => (entry.published ? measure(entry, at) : []))]
  }

  #publish(at: number): void {
    if (at - this.#publishedAt < publishEveryMs || this.#entries.every(({ published }) => published)) return
    this.#publishedAt = at
    for (const entry of this.#entries) entry.published = true
  }

  #sweep(at: number): void {
    const limit = this.#dropped > this.#droppedAtSweep ? idleWhenFullMs : idleMs
    this.#sweptAt = at
    this.#droppedAtSweep = this.#dropped
    const kept = this.#entries.filter(({ receivedAt }) => at - receivedAt < limit)
    if (kept.length === this.#entries.length) return
    this.#entries = kept
    this.#table.replace(kept)
    this.#catalogueBytes = kept.reduce((sum, { seriesBytes }) => sum + seriesBytes, 0)
    this.#families.clear()
    for (const { family } of kept) this.#families.set(family, (this.#families.get(family) ?? 0) + 1)
  }

  #health(): readonly Measurement[] {
    return [
      rate('roost.statsd.datagrams', 'packets/s', this.#datagrams),
      rate('roost.statsd.malformed', 'errors/s', this.#malformed),
      rate('roost.statsd.dropped', 'events/s', this.#dropped),
      gauge('roost.statsd.names', 'count', this.#entries.length),
    ]
  }
}

const timerSeries = (name: string): readonly Series[] => [
  { name: `${name}.count`, unit: 'count' },
  { name: `${name}.rate`, unit: 'events/s' },
  ...['mean', 'max', 'p50', 'p95', 'p99'].map((statistic) => ({
    name: `${name}.${statistic}`,
    unit: 'milliseconds' as const,
  })),
]

/** Swift's `xfer` counts bytes, everything else events. */
function counterSeries(name: string): readonly Series[] {
  const isBytes = name.endsWith('.xfer')
  return [
    { name: `${name}.count`, unit: isBytes ? 'bytes' : 'count' },
    { name: `${name}.rate`, unit: isBytes ? 'bytes/s' : 'events/s' },
  ]
}

/** Returns the values of an entry and resets it. An idle timer has counts of 0 and no times. */
function measure(entry: Entry, at: number): readonly Measurement[] {
  const { histogram, series } = entry
  const seconds = (at - entry.since) / 1_000
  const count = histogram?.total ?? entry.sum
  const times = histogram === undefined ? [] : [histogram.mean, histogram.max, ...histogram.percentiles(shares)]
  const values = [count, seconds > 0 ? count / seconds : Number.NaN, ...times]
  histogram?.reset()
  entry.sum = 0
  entry.since = at
  return series.map(({ name, unit }, i) => gauge(name, unit, values[i] ?? Number.NaN))
}
