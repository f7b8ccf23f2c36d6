import { gauge, rate } from '../engine/metric.js'
import type { Measurement, Unit } from '../engine/metric.js'
import { Histogram } from '../../swift/statsd/histogram.js'
import { newStatsdLine, parseStatsdLine } from '../../swift/statsd/line.js'
import { NameTable, cleaned, hashOf } from '../../swift/statsd/names.js'

interface Series {
  readonly name: string
  readonly unit: Unit
}

/** What came under one name since the last reading. */
interface Entry {
  readonly key: Uint8Array
  readonly hash: number
  readonly isTimer: boolean
  /** The first part of the name. */
  readonly family: string
  readonly series: readonly Series[]
  readonly seriesBytes: number
  /** Of a timer. */
  readonly histogram: Histogram | undefined
  /** Of a counter. */
  sum: number
  heard: boolean
  heardAt: number
  /** Since when `sum` or `histogram` count. */
  since: number
  published: boolean
}

const newline = 10
const shares = [0.5, 0.95, 0.99]

// A new catalogue is a hundred kilobytes to send and to store, a name that says nothing is eight bytes a report. So what is new
// is told of at most this often, and what is silent leaves rarely and all at once.
const publishEveryMs = 30_000
const sweepEveryMs = 3_600_000
/** Work that is done once a day keeps its names. */
const silentForMs = 24 * 3_600_000
/** Names that are in the way of others leave sooner. */
const silentInTheWayMs = 3_600_000

/** What one metric costs in a catalogue beside its name, which is to stay far below the 1 MiB of a message. */
const definitionBytes = 64
const maxCatalogueBytes = 512 << 10

/**
 * Folds Swift's counters and timers into metrics of the time since the last reading. Times are in milliseconds of a clock that
 * never jumps. Bounded: `maxNames`, half of them for each family (the first part of a name), so that a flood of one leaves room for
 * the others, and what the catalogue may weigh. What finds no room is counted and dropped.
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
  #readAt: number
  #sweptAt: number
  #publishedAt = -Infinity

  constructor(maxNames: number, at: number) {
    this.#maxNames = maxNames
    this.#table = new NameTable(maxNames)
    this.#readAt = at
    this.#sweptAt = at
  }

  /** One datagram: a line, or several. */
  take(bytes: Uint8Array): void {
    this.#datagrams++
    for (let start = 0; start < bytes.length;) {
      let end = start
      while (end < bytes.length && bytes[end] !== newline) end++
      if (end > start) this.#takeLine(bytes, start, end)
      start = end + 1
    }
  }

  #takeLine(bytes: Uint8Array, start: number, end: number): void {
    const line = this.#line
    if (!parseStatsdLine(bytes, start, end, line)) {
      this.#malformed++
      return
    }
    const entry = this.#table.find(bytes, start, line.nameEnd, line.isTimer) ?? this.#admit(bytes)
    if (entry === undefined) {
      this.#dropped++
      return
    }
    entry.heard = true
    if (entry.histogram === undefined) entry.sum += line.value * line.weight
    else entry.histogram.add(line.value, line.weight)
  }

  /** Makes room for a new name; undefined when there is none. */
  #admit(bytes: Uint8Array): Entry | undefined {
    const { nameStart, nameEnd, isTimer } = this.#line
    // A flood of new names ends here, and costs no memory.
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
      histogram: isTimer ? new Histogram() : undefined,
      sum: 0,
      heard: true,
      heardAt: this.#readAt,
      since: this.#readAt,
      published: false,
    }
    this.#families.set(family, siblings + 1)
    this.#catalogueBytes += seriesBytes
    this.#entries.push(entry)
    this.#table.add(entry)
    return entry
  }

  /** Everything since the last reading. A name that was heard for the first time keeps what it has until it is published. */
  read(at: number): readonly Measurement[] {
    for (const entry of this.#entries) {
      if (entry.heard) entry.heardAt = at
      entry.heard = false
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
    const limit = this.#dropped > this.#droppedAtSweep ? silentInTheWayMs : silentForMs
    this.#sweptAt = at
    this.#droppedAtSweep = this.#dropped
    const kept = this.#entries.filter(({ heardAt }) => at - heardAt < limit)
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
  ...['mean', 'max', 'p50', 'p95', 'p99'].map((figure) => ({
    name: `${name}.${figure}`,
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

/** The values of an entry, which starts anew. A silent timer has counts of 0 and no times. */
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
