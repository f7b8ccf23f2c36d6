import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { MetricService } from '@roost/api-types/rpc'
import { resourceUri } from '@roost/api-types/rest'
import type { Explanations, NodeMetricSample } from '@roost/api-types/rest'
import type { Catalogue, NameList } from './catalogue.js'
import { clusterNames } from './cluster-names.js'
import type { ClusterNames } from './cluster-names.js'
import { clusterRows } from './cluster-values.js'
import type { LatestValues, NodeValues } from './latest-values.js'
import type { Members } from './members.js'
import { createQueryCache } from './query-cache.js'
import type { CachedQuery, QueryCache } from './query-cache.js'
import { mergeRows, samplesOf, slicesOf, unknownRows } from './rows.js'
import type { Moment, Rows } from './rows.js'
import { explainNames, explainUnknown } from './explain.js'
import { hasName } from './selection.js'
import { watchSamples } from './watch.js'

/** An answer whose rows still lie where they are kept; whoever writes it out does so slice by slice. */
export interface Answer {
  readonly moment: Moment
  readonly rows: Rows
}

export interface AcrossAnswer {
  readonly moment: Moment
  /** One part a node that has any of the names, in the order of the nodes' ids. */
  readonly parts: readonly { readonly nodeId: number; readonly rows: Rows }[]
}

/** The same reads twice: as objects for typed callers, and as rows for REST, which writes them out as text. */
export interface MetricReads extends MetricService {
  nodeNames(nodeId: number): Promise<NameList>
  clusterNames(clusterId: number): Promise<NameList>
  nodeAnswer(nodeId: number, names: readonly string[]): Promise<Answer>
  clusterAnswer(clusterId: number, names: readonly string[]): Promise<Answer>
  acrossAnswer(clusterId: number, names: readonly string[]): Promise<AcrossAnswer>
}

export interface MetricServiceOptions {
  readonly latest: LatestValues
  readonly members: Members
  /** Throw `not_found`. Asked only about what has no metrics. */
  readonly requireNode: (id: number) => Promise<unknown>
  readonly requireCluster: (id: number) => Promise<unknown>
  readonly isOnline: (nodeId: number) => boolean
  /** Unix seconds. */
  readonly now: () => number
  readonly reportIntervalMs: number
}

/** A value is fresh for so many report intervals. */
const freshIntervals = 3
const rowsAtOnce = 1000
const noNames: NameList = { metrics: [], sorted: new Int32Array(0) }

export function createMetricService(options: MetricServiceOptions): MetricReads {
  const { latest, members, requireNode, requireCluster, isOnline } = options
  const queries = createQueryCache()
  const namesOfAll = rememberClusterNames()

  const moment = (): Moment => {
    const now = options.now()
    return { now, freshFrom: now - (freshIntervals * options.reportIntervalMs) / 1000 }
  }
  const nodeValues = async (nodeId: number): Promise<NodeValues | undefined> => {
    const node = latest.get(nodeId)
    if (!node) await requireNode(nodeId)
    return node
  }
  const nodesOf = async (clusterId: number): Promise<readonly NodeValues[]> => {
    const ids = members.nodesOf(clusterId)
    if (ids.length === 0) await requireCluster(clusterId)
    return latest.getMany(ids)
  }
  const reads = {
    nodeNames: async (nodeId: number) => (await nodeValues(nodeId))?.catalogue ?? noNames,
    clusterNames: async (clusterId: number) => namesOfAll(clusterId, await nodesOf(clusterId)),
    async nodeAnswer(nodeId: number, names: readonly string[]): Promise<Answer> {
      const node = await nodeValues(nodeId)
      const query = queries.get(names)
      const list = node?.catalogue ?? noNames
      await query.prepare([list])
      return { moment: moment(), rows: withUnknown(node ? rowsOf(node, query) : unknownRows([]), list, query) }
    },
    async clusterAnswer(clusterId: number, names: readonly string[]): Promise<Answer> {
      const nodes = await nodesOf(clusterId)
      const query = queries.get(names)
      const list = namesOfAll(clusterId, nodes)
      await query.prepare([list])
      const at = moment()
      const rows = clusterRows(query.plan(list), nodes, isOnline, at.freshFrom)
      return { moment: at, rows: withUnknown(rows, list, query) }
    },
    async acrossAnswer(clusterId: number, names: readonly string[]): Promise<AcrossAnswer> {
      const nodes = await nodesOf(clusterId)
      const query = queries.get(names)
      await query.prepare(new Set(nodes.map(({ catalogue }) => catalogue)))
      return { moment: moment(), parts: partsOf(nodes, query) }
    },
  }
  const explain = explainer({ members, nodesOf, namesOfAll, queries, isOnline, moment })
  return { ...reads, ...objectsOf(reads), explainCluster: explain }
}

interface ExplainerOptions extends Pick<MetricServiceOptions, 'members' | 'isOnline'> {
  readonly queries: QueryCache
  readonly nodesOf: (clusterId: number) => Promise<readonly NodeValues[]>
  readonly namesOfAll: (clusterId: number, nodes: readonly NodeValues[]) => ClusterNames
  readonly moment: () => Moment
}

function explainer({ members, isOnline, queries, nodesOf, namesOfAll, moment }: ExplainerOptions) {
  return async (clusterId: number, names: readonly string[]): Promise<Explanations> => {
    const nodes = await nodesOf(clusterId)
    const query = queries.get(names)
    const list = namesOfAll(clusterId, nodes)
    await query.prepare([list])
    const { now, freshFrom } = moment()
    const byId = new Map(nodes.map((node) => [node.nodeId, node]))
    const valuesOf = (id: number) => byId.get(id)
    const explained = [
      ...explainNames(list, query.positions(list), { ids: members.nodesOf(clusterId), valuesOf, isOnline, freshFrom }),
      ...query.query.literals.filter((name) => !hasName(list, name)).map(explainUnknown),
    ]
    return { cluster: resourceUri('clusters', clusterId), made: new Date(now * 1000).toISOString(), explained }
  }
}

function objectsOf(reads: Omit<MetricReads, keyof MetricService>): Omit<MetricService, 'explainCluster'> {
  const polls = {
    async pollNode(nodeId: number, names: readonly string[]) {
      const { rows, moment } = await reads.nodeAnswer(nodeId, names)
      return { metrics: samplesOf(rows, moment) }
    },
    async pollCluster(clusterId: number, names: readonly string[]) {
      const { rows, moment } = await reads.clusterAnswer(clusterId, names)
      return { metrics: samplesOf(rows, moment) }
    },
  }
  return {
    ...polls,
    namesOfNode: async (nodeId) => namesOf(await reads.nodeNames(nodeId)),
    namesOfCluster: async (clusterId) => namesOf(await reads.clusterNames(clusterId)),
    watchNode: (nodeId, names, signal) => watchSamples(() => polls.pollNode(nodeId, names), signal),
    watchCluster: (clusterId, names, signal) => watchSamples(() => polls.pollCluster(clusterId, names), signal),
    across: async (clusterId, names) => slicesAcross(await reads.acrossAnswer(clusterId, names)),
  }
}

async function* slicesAcross({ parts, moment }: AcrossAnswer): AsyncGenerator<readonly NodeMetricSample[]> {
  for (const { nodeId, rows } of parts) {
    const node = resourceUri('nodes', nodeId)
    for (const slice of slicesOf(rows, rowsAtOnce)) {
      yield samplesOf(slice, moment).map((sample) => ({ node, ...sample }))
      await yieldToLoop()
    }
  }
}

function namesOf({ metrics, sorted }: NameList) {
  return { metrics: Array.from(sorted, (position) => ({ metric_name: metrics[position]?.name ?? '' })) }
}

function partsOf(nodes: readonly NodeValues[], query: CachedQuery): AcrossAnswer['parts'] {
  const parts: AcrossAnswer['parts'][number][] = []
  for (const node of nodes) {
    const rows = rowsOf(node, query)
    if (rows.positions.length > 0) parts.push({ nodeId: node.nodeId, rows })
  }
  return parts
}

function rowsOf(node: NodeValues, query: CachedQuery): Rows {
  const { catalogue, values, times } = node
  return { metrics: catalogue.metrics, values, times, positions: query.positions(catalogue) }
}

/** The names of each cluster, until one of its nodes has another catalogue. */
function rememberClusterNames() {
  const known = new Map<number, { readonly catalogues: readonly Catalogue[]; readonly names: ClusterNames }>()
  return (clusterId: number, nodes: readonly NodeValues[]): ClusterNames => {
    const catalogues = [...new Set(nodes.map(({ catalogue }) => catalogue))]
    const last = known.get(clusterId)
    if (last && sameItems(last.catalogues, catalogues)) return last.names
    const names = clusterNames(catalogues)
    known.set(clusterId, { catalogues, names })
    return names
  }
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i])
}

/** Adds the names asked for as they stand that are not known, each without a value, where they belong by name. */
function withUnknown(rows: Rows, list: NameList, { query }: CachedQuery): Rows {
  const unknown = query.literals.filter((name) => !hasName(list, name))
  return unknown.length === 0 ? rows : mergeRows(rows, unknownRows(unknown))
}
