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

/** Positions in a catalogue, ascending, and the rows that they go to; all are added in one way. */
interface Source {
  readonly rule: Pick<AggregationRule, 'start' | 'add'>
  readonly from: Int32Array
  readonly to: Int32Array
}

export function planCluster(names: ClusterNames, positions: Int32Array): ClusterPlan {
  const rowOf = new Int32Array(names.metrics.length).fill(-1)
  for (const [row, position] of positions.entries()) rowOf[position] = row
  const rules = Array.from(positions, (position) => names.aggregations[position] as Aggregation)
  const sources = new Map(
    [...names.indexes].map(([catalogue, indexes]) => [catalogue, sourcesOf(indexes, rowOf, rules)] as const),
  )
  return {
    metrics: Array.from(positions, (position) => names.metrics[position] as Metric),
    rules: rules.map((rule) => aggregations[rule]),
    sources,
    size: [...sources.values()].flat().reduce((sum, { from }) => sum + 2 * from.length, positions.length),
  }
}

function sourcesOf(indexes: Int32Array, rowOf: Int32Array, rules: readonly Aggregation[]): Source[] {
  const groups: { readonly rule: AggregationRule; readonly from: number[]; readonly to: number[] }[] = []
  for (const [position, index] of indexes.entries()) {
    const row = rowOf[index] as number
    if (row === -1) continue
    const rule = aggregations[rules[row] as Aggregation]
    let group = groups.find(({ rule: { add, start } }) => add === rule.add && start === rule.start)
    if (!group) groups.push((group = { rule, from: [], to: [] }))
    group.from.push(position)
    group.to.push(row)
  }
  return groups.map(({ rule, from, to }) => ({ rule, from: Int32Array.from(from), to: Int32Array.from(to) }))
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
  const complete = new Map<Source, NodeValues[]>()
  for (const node of nodes) {
    if (node.newest < freshFrom || !isOnline(node.nodeId)) continue
    for (const source of plan.sources.get(node.catalogue) ?? []) {
      if (node.isComplete) listOf(source, complete).push(node)
      else addEach(source, node, freshFrom, sums)
    }
  }
  for (const [source, together] of complete) addComplete(source, together, sums)
  finish(plan, sums)
  if (sums.counts.includes(0)) fillTimes(plan, nodes, sums)
  return {
    metrics: plan.metrics,
    values: sums.values,
    times: sums.times,
    positions: Int32Array.from(plan.metrics.keys()),
  }
}

function listOf(source: Source, lists: Map<Source, NodeValues[]>): NodeValues[] {
  const known = lists.get(source) ?? []
  lists.set(source, known)
  return known
}

/** All values of such a node are of one time: nothing is to be decided for the single one, and counting can wait. */
function addComplete(source: Source, nodes: readonly NodeValues[], { values, counts, times }: Sums): void {
  const newest = nodes.reduce((time, node) => Math.max(time, node.newest), -Infinity)
  const sums = sumsOf(source, nodes)
  for (let i = 0; i < sums.length; i++) {
    const row = source.to[i]!
    values[row] = source.rule.add(values[row]!, sums[i]!)
    counts[row]! += nodes.length
    if (newest > times[row]!) times[row] = newest
  }
}

/** By position in `from`. Four nodes at a time: to load and store the sum of each row is otherwise half of the work. */
function sumsOf({ rule: { start, add }, from }: Source, nodes: readonly NodeValues[]): Float64Array {
  const sums = new Float64Array(from.length).fill(start)
  const fours = nodes.length - (nodes.length % 4)
  for (let n = 0; n < fours; n += 4) {
    const [a, b, c, d] = [nodes[n]!.values, nodes[n + 1]!.values, nodes[n + 2]!.values, nodes[n + 3]!.values]
    for (let i = 0; i < sums.length; i++) {
      const at = from[i]!
      sums[i] = add(add(add(add(sums[i]!, a[at]!), b[at]!), c[at]!), d[at]!)
    }
  }
  for (const { values } of nodes.slice(fours))
    for (let i = 0; i < sums.length; i++) sums[i] = add(sums[i]!, values[from[i]!]!)
  return sums
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
