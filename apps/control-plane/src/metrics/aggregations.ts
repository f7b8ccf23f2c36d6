import type { Aggregation } from '@roost/api-types/agent'

/** How the nodes' values of one name become the cluster's: `add` each to what there is, from `start`, then `finish`. `add` also joins what two groups of nodes came to. */
export interface AggregationRule {
  readonly start: number
  readonly add: (sofar: number, value: number) => number
  readonly finish: (sofar: number, count: number) => number
}

const plus = (sofar: number, value: number) => sofar + value

const sum: AggregationRule = { start: 0, add: plus, finish: (sofar) => sofar }
const mean: AggregationRule = { start: 0, add: plus, finish: (sofar, count) => sofar / count }

/** Every aggregation that a metric's definition may name. */
export const aggregations: Readonly<Record<Aggregation, AggregationRule>> = { sum, mean }
