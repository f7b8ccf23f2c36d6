import type { DeviceUsageMessage, Inventory, MetricDefinition } from '@roost/api-types/agent'

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

export type DeviceUsage = DeviceUsageMessage['devices']

/** What this machine is. */
export interface Inventories {
  /** The whole inventory: asked at start, every `inventory_interval_ms`, and after `onChange`. */
  read(): Promise<Inventory>
  /** Figures of the devices that the last inventory named: asked every report interval. */
  usage(): Promise<DeviceUsage>
  /** Calls back when something changed that the next inventory would show, such as a ring. The answer unsubscribes. */
  onChange(callback: () => void): () => void
  close(): Promise<void>
}
