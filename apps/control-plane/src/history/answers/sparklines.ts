import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { Sparklines } from '@roost/api-types/rest'
import type { SparklineQuery } from '@roost/api-types/rpc'
import { ownerKinds } from '../storage/levels.js'
import type { KeptFor } from '../storage/levels.js'
import { withNull } from './lists.js'
import { readQuestion } from './question.js'
import type { HistoryReader } from './reader.js'
import { metaOf, seriesOf, withLatest } from './series.js'
import type { LatestSample } from './series.js'

export interface SparklineOptions {
  readonly reader: HistoryReader
  readonly kept: KeptFor
  readonly latestOfNode: (id: number, names: readonly string[]) => Promise<readonly LatestSample[]>
  readonly now: () => number
}

const mostNodes = 200
const mostPoints = 120
const defaultPoints = 30
const defaultRangeMs = 3_600_000
/** So that each point is a mean: the readings of nodes have no times in common. */
const leastStepSeconds = 30

/** Reads one metric of many nodes, with one value for each point. A node without any value is left out. */
export async function readSparklines(options: SparklineOptions, query: SparklineQuery): Promise<Sparklines> {
  const { reader, kept } = options
  const { ids, name } = query
  // Once: a millisecond between two would make the range longer than its points.
  const nowMs = options.now()
  assertLimits(query)
  const points = query.points ?? defaultPoints
  const start = query.start ?? new Date(nowMs - defaultRangeMs).toISOString()
  const asked = { metrics: [name], start, end: query.end, max_points: points }
  const chosen = readQuestion(asked, kept, nowMs)
  const least = { ...asked, step: leastStepSeconds }
  const question = chosen.stepMs < leastStepSeconds * 1000 ? readQuestion(least, kept, nowMs) : chosen
  const history = reader.of({ kind: ownerKinds.node, ids: [...new Set(ids)] })
  const found = await seriesOf(history, [name], question)
  const latest = (id: number) => options.latestOfNode(id, [name])
  const series = question.isOpen ? await withLatest(found, question, latest) : found
  return {
    meta: await metaOf(history, question),
    metric_name: name,
    unit: series[0]?.unit ?? '',
    sparklines: series.map(({ ownerId, columns }) => ({
      node: resourceUri('nodes', ownerId),
      values: 'mean' in columns ? withNull(columns.mean) : [],
    })),
  }
}

function assertLimits({ ids, name, points = defaultPoints }: SparklineQuery): void {
  if (ids.length === 0) throw new RoostError('invalid', "Give the ids of nodes with 'id__in', separated by commas.")
  if (ids.length > mostNodes)
    throw new RoostError('invalid', `At most ${mostNodes} nodes are answered at once; these are ${ids.length}.`)
  if (name === '' || name.includes('*')) throw new RoostError('invalid', "Give the name of one metric with 'metric'.")
  if (!Number.isInteger(points) || points < 2 || points > mostPoints)
    throw new RoostError('invalid', `'points' must be a whole number from 2 to ${mostPoints}.`)
}
