import type { Aggregation } from '@roost/api-types/agent'
import { aggregations } from './aggregations.js'
import type { AggregationRule } from './aggregations.js'
import type { Catalogue, Metric } from './catalogue.js'
import type { ClusterNames } from './cluster-names.js'
import type { NodeValues } from './latest-values.js'
import type { Rows } from './rows.js'

/** Which values of the nodes make which rows of an answer, worked out once for a query. */
export interface ClusterPlan {
  readonly metrics: readonly Metric[]
  readonly rules: readonly AggregationRule[]
  readonly sources: ReadonlyMap<Catalogue, readonly Source[]>
  /** How many numbers it holds. */
  readonly size: number
}

/** Positions in a catalogue and the rows that they go to, all by one rule. */
interface Source {
  readonly rule: AggregationRule
  readonly from: Int32Array
  readonly to: Int32Array
}

export function planCluster(names: ClusterNames, positions: Int32Array): ClusterPlan {
  const rowOf = new Int32Array(names.metrics.length).fill(-1)
  for (const [row, position] of positions.entries()) rowOf[position] = row
  const rules = Array.from(positions, (position) => names.aggregations[position] as Aggregation)
  const sources = new Map(
    [...names.places].map(([catalogue, places]) => [catalogue, sourcesOf(places, rowOf, rules)] as const),
  )
  return {
    metrics: Array.from(positions, (position) => names.metrics[position] as Metric),
    rules: rules.map((rule) => aggregations[rule]),
    sources,
    size: [...sources.values()].flat().reduce((sum, { from }) => sum + 2 * from.length, positions.length),
  }
}

function sourcesOf(places: Int32Array, rowOf: Int32Array, rules: readonly Aggregation[]): Source[] {
  const byRule = new Map<Aggregation, { readonly from: number[]; readonly to: number[] }>()
  for (const [position, place] of places.entries()) {
    const row = rowOf[place] as number
    if (row === -1) continue
    const rule = rules[row] as Aggregation
    const lists = byRule.get(rule) ?? { from: [], to: [] }
    byRule.set(rule, lists)
    lists.from.push(position)
    lists.to.push(row)
  }
  return [...byRule].map(([rule, { from, to }]) => ({
    rule: aggregations[rule],
    from: Int32Array.from(from),
    to: Int32Array.from(to),
  }))
}

interface Sums {
  readonly values: Float64Array
  readonly counts: Int32Array
  readonly times: Float64Array
}

/**
 * One row a name: the fresh values of the nodes that are online, by the rule of the name, with the time of the newest
 * reading. Without a fresh value the row has no value, and the time of the last reading that any node made.
 */
export function clusterRows(
  plan: ClusterPlan,
  nodes: readonly NodeValues[],
  isOnline: (nodeId: number) => boolean,
  freshFrom: number,
): Rows {
  const length = plan.metrics.length
  const sums = {
    values: Float64Array.from(plan.rules, (rule) => rule.start),
    counts: new Int32Array(length),
    times: new Float64Array(length).fill(-Infinity),
  }
  const whole = new Map<Source, Tally>()
  for (const node of nodes) {
    if (node.newest < freshFrom || !isOnline(node.nodeId)) continue
    for (const source of plan.sources.get(node.catalogue) ?? []) {
      if (node.whole) addWhole(source, node, sums.values, whole)
      else addEach(source, node, freshFrom, sums)
    }
  }
  for (const [source, tally] of whole) count(source, tally, sums)
  finish(plan, sums)
  if (sums.counts.includes(0)) fillTimes(plan, nodes, sums)
  return {
    metrics: plan.metrics,
    values: sums.values,
    times: sums.times,
    positions: Int32Array.from(plan.metrics.keys()),
  }
}

/** How many whole nodes a source was added for, and the time of the newest. */
interface Tally {
  nodes: number
  newest: number
}

/** All values of the node are of one time: nothing is to be decided for the single one, and counting can wait. */
function addWhole(source: Source, node: NodeValues, values: Float64Array, whole: Map<Source, Tally>): void {
  const { from, to } = source
  const { add } = source.rule
  for (let i = 0; i < from.length; i++) {
    const row = to[i] as number
    values[row] = add(values[row] as number, node.values[from[i] as number] as number)
  }
  const tally = whole.get(source)
  if (tally) {
    tally.nodes++
    tally.newest = Math.max(tally.newest, node.newest)
  } else whole.set(source, { nodes: 1, newest: node.newest })
}

function count({ to }: Source, { nodes, newest }: Tally, { counts, times }: Sums): void {
  for (const row of to) {
    counts[row]! += nodes
    if (newest > (times[row] as number)) times[row] = newest
  }
}

function addEach({ rule, from, to }: Source, node: NodeValues, freshFrom: number, sums: Sums): void {
  const { add } = rule
  const { values, counts, times } = sums
  for (let i = 0; i < from.length; i++) {
    const position = from[i] as number
    const time = node.times[position] as number
    if (!(time >= freshFrom)) continue
    const row = to[i] as number
    values[row] = add(values[row] as number, node.values[position] as number)
    counts[row]!++
    if (time > (times[row] as number)) times[row] = time
  }
}

function finish({ rules }: ClusterPlan, { values, counts }: Sums): void {
  for (const [row, rule] of rules.entries()) {
    const count = counts[row] as number
    values[row] = count > 0 ? rule.finish(values[row] as number, count) : Number.NaN
  }
}

/** The newest time of any node, for the rows that no online node has a fresh value for. */
function fillTimes(plan: ClusterPlan, nodes: readonly NodeValues[], { counts, times }: Sums): void {
  const fill = ({ from, to }: Source, node: NodeValues) => {
    for (let i = 0; i < from.length; i++) {
      const row = to[i] as number
      const time = node.times[from[i] as number] as number
      if (counts[row] === 0 && time > (times[row] as number)) times[row] = time
    }
  }
  for (const node of nodes) for (const source of plan.sources.get(node.catalogue) ?? []) fill(source, node)
}
