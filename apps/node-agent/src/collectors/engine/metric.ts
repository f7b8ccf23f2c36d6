import type { Aggregation, MetricDefinition } from '@roost/api-types/agent'

/** The units, and how the values of several nodes become one: sizes, counts and rates add up, shares and times average. */
const rules = {
  bytes: 'sum',
  count: 'sum',
  pages: 'sum',
  'blocks/s': 'sum',
  'bytes/s': 'sum',
  'errors/s': 'sum',
  'events/s': 'sum',
  'operations/s': 'sum',
  'packets/s': 'sum',
  'pages/s': 'sum',
  load: 'mean',
  percent: 'mean',
  seconds: 'mean',
  milliseconds: 'mean',
  'milliseconds/operation': 'mean',
  'milliseconds/s': 'mean',
  /** 1 is yes, 0 is no: over several nodes the share of those that say yes. */
  boolean: 'mean',
} as const satisfies Record<string, Aggregation>

export type Unit = keyof typeof rules

/** What a collector read under one name. */
export interface Measurement {
  readonly name: string
  readonly unit: Unit
  readonly value: number
  /**
   * How the value counts up since the machine's start, if it does: `second` makes it a rate, a number is what it counts
   * against and makes it the share of the one growth in the other.
   */
  readonly per?: 'second' | number
}

/** A value that stands for itself; NaN is none. */
export function gauge(name: string, unit: Unit, value: number): Measurement {
  return { name, unit, value }
}

/** What counts up, as its growth in a second. */
export function rate(name: string, unit: Unit, total: number): Measurement {
  return { name, unit, value: total, per: 'second' }
}

/** What counts up, as its growth for each one that `of` grew by. */
export function ratio(name: string, unit: Unit, total: number, of: number): Measurement {
  return { name, unit, value: total, per: of }
}

export function definitionOf({ name, unit }: Measurement): MetricDefinition {
  return { name, unit, aggregation: rules[unit] }
}

/** A device or mount as part of a name: whatever has a meaning in names or in queries for them becomes `_`. */
export function part(text: string): string {
  return text.replaceAll(/[.,*/\s\p{Cc}]/gu, '_')
}
