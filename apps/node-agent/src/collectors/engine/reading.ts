import type { MetricDefinition } from '@roost/api-types/agent'

/** What every collector said in one round. `values[i]` is the value of `metrics[i]`; NaN means that it has none. */
export interface Reading {
  /** When it was read, in Unix seconds. */
  readonly time: number
  /** The same array as in the round before as long as the set of names is the same: a new one costs a catalogue. */
  readonly metrics: readonly MetricDefinition[]
  readonly values: Float64Array
}

/** The collectors. Asked once every report interval, never while a round is still under way. Must not throw. */
export interface Readings {
  read(): Promise<Reading>
  close(): Promise<void>
}
