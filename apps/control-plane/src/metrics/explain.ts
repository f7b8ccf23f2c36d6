import type { Aggregation } from '@roost/api-types/agent'
import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { ExplainedPart, Explanation, LeftOutPart, LeftOutReason } from '@roost/api-types/rest'
import { readTime, withParts } from '../services/explanation.js'
import { aggregations } from './aggregations.js'
import type { ClusterNames } from './cluster-names.js'
import type { NodeValues } from './latest-values.js'

/** Each has a part of every node. */
const mostNames = 20

export interface ExplainedNodes {
  /** All nodes of the cluster, ascending. */
  readonly ids: readonly number[]
  readonly valuesOf: (nodeId: number) => NodeValues | undefined
  readonly isOnline: (nodeId: number) => boolean
  /** Unix seconds: older values do not count. */
  readonly freshFrom: number
}

/** Explains the values of a poll of a cluster. Throws `invalid` for more than 20 names. */
export function explainNames(names: ClusterNames, positions: Int32Array, nodes: ExplainedNodes): Explanation[] {
  if (positions.length > mostNames)
    throw new RoostError('invalid', `Ask for at most ${mostNames} metrics at once: these are ${positions.length}.`)
  return Array.from(positions, (position) => explainName(names, position, nodes))
}

export function explainUnknown(name: string): Explanation {
  const rule = 'No node of the cluster reports a metric of this name.'
  return withParts({ name, values: { value: null }, rule }, { counted: [], leftOut: [] })
}

const rules: Readonly<Record<Aggregation, string>> = { sum: 'Sum', mean: 'Mean' }

function explainName(names: ClusterNames, position: number, nodes: ExplainedNodes): Explanation {
  const counted: ExplainedPart[] = []
  const leftOut: LeftOutPart[] = []
  for (const id of nodes.ids) {
    const { part, reason } = partOf(id, names, position, nodes)
    if (reason === undefined) counted.push(part)
    else leftOut.push({ ...part, reason })
  }
  const aggregation = names.aggregations[position] as Aggregation
  const rule = `${rules[aggregation]} of the values of the nodes that are connected and have read it within three report intervals.`
  const name = names.metrics[position]?.name ?? ''
  return withParts({ name, values: { value: valueOf(aggregation, counted) }, rule }, { counted, leftOut })
}

function valueOf(aggregation: Aggregation, counted: readonly ExplainedPart[]): number | null {
  if (counted.length === 0) return null
  const { start, add, finish } = aggregations[aggregation]
  const total = counted.reduce((sofar, { values }) => add(sofar, values['value'] ?? 0), start)
  const value = finish(total, counted.length)
  return Number.isFinite(value) ? value : null
}

function partOf(id: number, names: ClusterNames, position: number, { valuesOf, isOnline, freshFrom }: ExplainedNodes) {
  const { value, time } = lastReading(valuesOf(id), names, position)
  const part: ExplainedPart = {
    node: resourceUri('nodes', id),
    device: null,
    name: '',
    values: Number.isFinite(value) ? { value } : {},
    read: readTime(time),
  }
  return { part, reason: reasonOf({ isOnline: isOnline(id), time, freshFrom }) }
}

/** Returns NaN for a node that has never read it. */
function lastReading(node: NodeValues | undefined, { indexes }: ClusterNames, position: number) {
  const at = node === undefined ? undefined : indexes.get(node.catalogue)?.indexOf(position)
  return { value: node?.values[at ?? -1] ?? Number.NaN, time: node?.times[at ?? -1] ?? Number.NaN }
}

interface Reading {
  readonly isOnline: boolean
  /** Unix seconds; NaN where there never was one. */
  readonly time: number
  readonly freshFrom: number
}

/** Returns undefined for a node that counts. */
function reasonOf({ isOnline, time, freshFrom }: Reading): LeftOutReason | undefined {
  if (!isOnline) return 'offline'
  if (Number.isNaN(time)) return 'no_value'
  return time >= freshFrom ? undefined : 'stale'
}
