import type { MetricDefinition } from '@roost/api-types/agent'

/** An order of metrics. The id follows from the content: equal sets have equal ids, over restarts too. */
export interface Catalogue {
  readonly id: number
  readonly metrics: readonly MetricDefinition[]
}

/** One value for each metric of the catalogue, in its order; NaN means no value. */
export interface Reading {
  /** Unix seconds, by the machine's clock. Rates do not depend on it. */
  readonly time: number
  readonly catalogue: Catalogue
  readonly values: Float64Array
}

export interface Collection {
  /** Reads at once and then every interval, until stopped. A listener that throws does not stop it. */
  start(intervalMs: number, listener: (reading: Reading) => void): void
  /** Takes a new pace from now on. */
  setInterval(intervalMs: number): void
  /** Reads once more, apart from the schedule: rates count from the reading before. */
  read(): Promise<Reading>
  stop(): void
}
