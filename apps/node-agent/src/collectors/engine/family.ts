import type { MetricDefinition } from '@roost/api-types/agent'
import type { Clock } from '@roost/runtime'
import type { Collector, CollectorHost } from './collector.js'
import { definitionOf, gauge } from './metric.js'
import type { Measurement } from './metric.js'
import { Rates } from './rates.js'

/** Values of a collector that are older than this many of its periods are none. */
const freshPeriods = 3

/** What one collector has read last, and how it fares. All times are in milliseconds of a clock that never jumps. */
export class Family {
  readonly collector: Collector
  /** The metrics in the order of `values`; replaced when they change. */
  definitions: readonly MetricDefinition[] = []
  readonly #rates = new Rates()
  #values: Float64Array = new Float64Array()
  #readAt = Number.NaN
  #startedAt = Number.NaN
  #durationMs = Number.NaN
  #running = false
  #fault: string | undefined

  constructor(collector: Collector) {
    this.collector = collector
  }

  /** The collector's own period, when readings are reported every `intervalMs`. */
  periodMs(intervalMs: number): number {
    return Math.max(intervalMs, this.collector.minIntervalMs ?? 0)
  }

  /** Whether it should read now: half an interval early is near enough, and one that still reads is left alone. */
  isDue(at: number, intervalMs: number): boolean {
    return !this.#running && !(at - this.#startedAt < this.periodMs(intervalMs) - intervalMs / 2)
  }

  /** Reads, and resolves to the fault when there is a new one. Never rejects. */
  async run(host: CollectorHost, at: number, clock: Clock): Promise<unknown> {
    this.#running = true
    this.#startedAt = at
    const begun = clock.monotonic()
    try {
      const answer = this.collector.read(host)
      // Without a promise there is nothing to wait for: the time is the collector's own.
      this.#take(answer instanceof Promise ? await answer : answer, at)
      this.#fault = undefined
      return undefined
    } catch (error) {
      this.#readAt = Number.NaN
      const before = this.#fault
      this.#fault = String(error)
      return this.#fault === before ? undefined : error
    } finally {
      this.#durationMs = clock.monotonic() - begun
      this.#running = false
    }
  }

  #take(measurements: readonly Measurement[], at: number): void {
    const same =
      measurements.length === this.definitions.length &&
      measurements.every(({ name, unit }, i) => {
        const known = this.definitions[i]
        return known?.name === name && known.unit === unit
      })
    if (!same) this.definitions = measurements.map(definitionOf)
    this.#values = this.#rates.valuesOf(measurements, at)
    this.#readAt = at
  }

  /** The values in the order of `definitions`; undefined when there are no fresh ones. */
  values(at: number, intervalMs: number): Float64Array | undefined {
    return at - this.#readAt <= freshPeriods * this.periodMs(intervalMs) ? this.#values : undefined
  }

  /** How the collector itself fares, as metrics. One that does not come to an end fails. */
  health(at: number, intervalMs: number): readonly [Measurement, Measurement] {
    const prefix = `roost.collector.${this.collector.name}`
    const runsForMs = this.#running ? at - this.#startedAt : 0
    const hangs = runsForMs >= this.periodMs(intervalMs)
    const durationMs = hangs || Number.isNaN(this.#durationMs) ? runsForMs : this.#durationMs
    return [
      gauge(`${prefix}.success`, 'boolean', hangs || this.#fault !== undefined ? 0 : 1),
      gauge(`${prefix}.duration`, 'seconds', durationMs / 1_000),
    ]
  }
}
