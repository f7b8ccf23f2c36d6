import type { Aggregation, MetricDefinition } from '@roost/api-types/agent'

/** The units and their aggregation over nodes: sizes, counts and rates add up, percentages and times average. */
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
  celsius: 'mean',
  load: 'mean',
  percent: 'mean',
  seconds: 'mean',
  milliseconds: 'mean',
  'milliseconds/operation': 'mean',
  'milliseconds/s': 'mean',
  /** 1 is true, 0 is false; the mean is the part of the nodes with true. */
  boolean: 'mean',
} as const satisfies Record<string, Aggregation>

export type Unit = keyof typeof rules

/** A value that a collector read. */
export interface Measurement {
  readonly name: string
  readonly unit: Unit
  readonly value: number
  /**
   * Set for a counter: `second` makes it a rate; a number is a second counter, and makes it the ratio of the growth of both.
   */
  readonly per?: 'second' | number
}

/** Makes a value that is reported as it is; NaN is no value. */
export function gauge(name: string, unit: Unit, value: number): Measurement {
  return { name, unit, value }
}

/** Makes a counter that is reported as its growth in a second. */
export function rate(name: string, unit: Unit, total: number): Measurement {
  return { name, unit, value: total, per: 'second' }
}

/** Makes a counter that is reported as its growth divided by the growth of the counter `of`. */
export function ratio(name: string, unit: Unit, total: number, of: number): Measurement {
  return { name, unit, value: total, per: of }
}

export function definitionOf({ name, unit }: Measurement): MetricDefinition {
  return { name, unit, aggregation: rules[unit] }
}

/** Makes a part of a name from a device or mount: characters with a meaning in names or queries become `_`. */
export function part(text: string): string {
  return text.replaceAll(/[.,*/\s\p{Cc}]/gu, '_')
}
