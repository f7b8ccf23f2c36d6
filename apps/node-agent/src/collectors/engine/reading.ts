import type { MetricDefinition } from '@roost/api-types/agent'

/** The metrics of all collectors in one round. `values[i]` is the value of `metrics[i]`; NaN is no value. */
export interface Reading {
  /** The time of the round in Unix seconds. */
  readonly time: number
  /** The same array as in the previous round while the names are the same: a new array makes the agent send a catalog. */
  readonly metrics: readonly MetricDefinition[]
  readonly values: Float64Array
}

/** The collectors. Asked once each report interval, never during a round. Must not throw. */
export interface Readings {
  read(): Promise<Reading>
  close(): Promise<void>
}
