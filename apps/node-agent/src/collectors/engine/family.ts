import type { MetricDefinition } from '@roost/api-types/agent'
import type { Clock } from '@roost/runtime'
import type { Collector, CollectorHost } from './collector.js'
import { definitionOf, gauge } from './metric.js'
import type { Measurement } from './metric.js'
import { Rates } from './rates.js'
import { slowFault } from './slow-files.js'
import type { ReadSlowly, SlowReader } from './slow-reader.js'

/** Values that are older than this many periods of their collector expire. */
const freshPeriods = 3

/** Keeps the last values of one collector and its health. All times are in milliseconds of a clock that never jumps. */
export class Family {
  readonly collector: Collector
  /** The metrics in the order of `values`; replaced when they change. */
  definitions: readonly MetricDefinition[] = []
  readonly #slow: SlowReader
  readonly #rates = new Rates()
  #values: Float64Array = new Float64Array()
  #readAt = Number.NaN
  #startedAt = Number.NaN
  #durationMs = Number.NaN
  #running = false
  #fault: string | undefined

  constructor(collector: Collector, slow: SlowReader) {
    this.collector = collector
    this.#slow = slow
  }

  close(): void {
    this.collector.close?.()
    this.#slow.close()
  }

  /** Returns the collector's own period when readings are reported every `intervalMs`. */
  periodMs(intervalMs: number): number {
    return Math.max(intervalMs, this.collector.minIntervalMs ?? 0)
  }

  /** Returns true when the collector should read now. Half an interval early is near enough; a running one is left alone. */
  isDue(at: number, intervalMs: number): boolean {
    return !this.#running && !(at - this.#startedAt < this.periodMs(intervalMs) - intervalMs / 2)
  }

  /** Reads, and resolves to the fault when it is a new one. Never rejects. */
  async run(host: Omit<CollectorHost, 'readSlowly'>, at: number, clock: Clock): Promise<unknown> {
    this.#running = true
    this.#startedAt = at
    const begun = clock.monotonic()
    let fault: string | undefined
    const readSlowly: ReadSlowly = async (paths) => {
      const files = await this.#slow.read(paths)
      fault ??= slowFault(files)
      return files
    }
    try {
      const answer = this.collector.read({ ...host, readSlowly })
      // Without a promise there is nothing to wait for: the time is the collector's own.
      this.#accept(answer instanceof Promise ? await answer : answer, at)
      return this.#recordFault(fault, fault)
    } catch (error) {
      this.#readAt = Number.NaN
      return this.#recordFault(String(error), error)
    } finally {
      this.#durationMs = clock.monotonic() - begun
      this.#running = false
    }
  }

  /** Returns the error when it is a new one. */
  #recordFault(fault: string | undefined, error: unknown): unknown {
    const isNew = fault !== this.#fault
    this.#fault = fault
    return isNew ? error : undefined
  }

  #accept(measurements: readonly Measurement[], at: number): void {
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

  /** Returns the values in the order of `definitions`; undefined when they are too old. */
  values(at: number, intervalMs: number): Float64Array | undefined {
    return at - this.#readAt <= freshPeriods * this.periodMs(intervalMs) ? this.#values : undefined
  }

  /** Returns the health of the collector as metrics. A collector that does not end fails. */
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
