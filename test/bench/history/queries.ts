import { prometheusName } from '@roost/control-plane/dist/prometheus/remote/series.js'
import { cpuSeconds, cpuSecondsOfAll } from '../measure.js'
import { atMost } from '../report.js'
import type { Row } from '../report.js'
import type { Stage } from '../stage.js'
import type { Reader } from '../reader.js'
import { nodeLabel, type FedCluster } from './feed.js'
import { isMoving } from './model.js'
import type { Peer } from './peers.js'

/** What is asked of all three. Each run asks for another node or metric, so that no cache knows the answer. */
interface Query {
  readonly what: string
  readonly runs: number
  /** Milliseconds of CPU; none but that of the peers where it is missing. */
  readonly limit?: number
  /** How many times the CPU of the better peer it may take. */
  readonly timesBetter: number
  readonly path: (cluster: FedCluster, run: number) => string
  readonly peerPath: (cluster: FedCluster, run: number) => string
}

const rounds = 5
const stepSeconds = 300
const iso = (ms: number) => new Date(ms).toISOString()

/** A node and a metric that moves, others in each run. */
function chosen({ series, nodeIds }: FedCluster, run: number) {
  const moving = series.filter(isMoving)
  const node = (run * 37) % nodeIds.length
  return { node, nodeId: nodeIds[node]!, metric: moving[(run * 11) % moving.length]!.name }
}

const rawPath = (cluster: FedCluster, hours: number) =>
  `start=${iso(cluster.endMs - hours * 3_600_000)}&end=${iso(cluster.endMs)}&step=10`
const pointsPath = (cluster: FedCluster) => `start=${iso(cluster.fromMs)}&end=${iso(cluster.endMs)}&step=${stepSeconds}`

const pathOf = (name: string, parameters: Readonly<Record<string, string>>) =>
  `/api/v1/${name}?${new URLSearchParams(parameters).toString()}`
/** Asks a peer for the samples of the last hours. */
const samples = ({ endMs }: FedCluster, selector: string, hours: number) =>
  pathOf('query', { query: `${selector}[${hours}h]`, time: String((endMs - 1) / 1000) })
/** Asks a peer for means of five minutes: each has what is before its time, which is at the end of a step. */
const means = ({ fromMs, endMs }: FedCluster, selector: string) =>
  pathOf('query_range', {
    query: `avg_over_time(${selector}[5m])`,
    start: String((fromMs - 1) / 1000 + stepSeconds),
    end: String((endMs - 1) / 1000),
    step: String(stepSeconds),
    nocache: '1',
  })

const oneSeries = (hours: number, limit?: number): Query => ({
  what: `one series of a node, ${hours} h of readings`,
  runs: 200,
  ...(limit !== undefined && { limit }),
  timesBetter: 2,
  path(cluster, run) {
    const { nodeId, metric } = chosen(cluster, run)
    return `/api/v1/nodes/${nodeId}/metrics/history/?metrics=${metric}&${rawPath(cluster, hours)}`
  },
  peerPath(cluster, run) {
    const { node, metric } = chosen(cluster, run)
    return samples(cluster, `${prometheusName(metric)}{node="${nodeLabel(node)}",cluster="${cluster.name}"}`, hours)
  },
})

const meansOfNode: Query = {
  what: 'one series of a node, 24 h by 5 min',
  runs: 200,
  timesBetter: 1,
  path(cluster, run) {
    const { nodeId, metric } = chosen(cluster, run)
    return `/api/v1/nodes/${nodeId}/metrics/history/?metrics=${metric}&${pointsPath(cluster)}`
  },
  peerPath(cluster, run) {
    const { node, metric } = chosen(cluster, run)
    return means(cluster, `${prometheusName(metric)}{node="${nodeLabel(node)}",cluster="${cluster.name}"}`)
  },
}

const queries: readonly Query[] = [
  oneSeries(1),
  oneSeries(6),
  oneSeries(24, 10),
  {
    what: 'one series of 100 nodes, 1 h of readings',
    runs: 50,
    timesBetter: 1,
    path: (cluster, run) =>
      `/api/v1/clusters/${cluster.clusterId}/metrics/across/history/?metrics=${chosen(cluster, run).metric}&${rawPath(cluster, 1)}`,
    peerPath: (cluster, run) =>
      samples(cluster, `${prometheusName(chosen(cluster, run).metric)}{cluster="${cluster.name}"}`, 1),
  },
  {
    what: 'one series of 100 nodes, 24 h by 5 min',
    runs: 50,
    limit: 15,
    timesBetter: 1,
    path: (cluster, run) =>
      `/api/v1/clusters/${cluster.clusterId}/metrics/across/history/?metrics=${chosen(cluster, run).metric}&${pointsPath(cluster)}`,
    peerPath: (cluster, run) =>
      means(cluster, `${prometheusName(chosen(cluster, run).metric)}{cluster="${cluster.name}"}`),
  },
  meansOfNode,
  {
    what: 'all disk metrics of a node, 24 h by 5 min',
    runs: 50,
    timesBetter: 1,
    path: (cluster, run) =>
      `/api/v1/nodes/${chosen(cluster, run).nodeId}/metrics/history/?metrics=disk.*&${pointsPath(cluster)}`,
    peerPath: (cluster, run) =>
      means(cluster, `{__name__=~"disk_.*",node="${nodeLabel(chosen(cluster, run).node)}",cluster="${cluster.name}"}`),
  },
]

/** Measures what queries cost: the CPU of control plane and PostgreSQL together, beside that of each peer. */
export async function benchQueries(stage: Stage, peers: readonly Peer[], cluster: FedCluster): Promise<readonly Row[]> {
  const reader = stage.reader()
  try {
    const rows: Row[] = []
    for (const query of queries) rows.push(await measured(query, stage, reader, peers, cluster))
    return rows
  } finally {
    await reader.close()
  }
}

/** Asks the three in turns, so that what else the machine does meets them alike. */
async function measured(
  { what, runs, limit, timesBetter, path, peerPath }: Query,
  { controlPlane: { pid } }: Stage,
  reader: Reader,
  peers: readonly Peer[],
  cluster: FedCluster,
): Promise<Row> {
  const asked = [
    { cpu: () => cpuSecondsOfAll(pid), ask: (run: number) => reader.read(path(cluster, run)), seconds: 0 },
    ...peers.map((peer) => ({
      cpu: () => cpuSeconds(peer.pid),
      ask: (run: number) => peer.ask(peerPath(cluster, run)),
      seconds: 0,
    })),
  ]
  for (const { ask } of asked) for (let run = 0; run < runs / 5; run++) await ask(run)
  for (let run = 0; run < runs; run += runs / rounds)
    for (const one of asked) {
      const before = one.cpu()
      for (let i = 0; i < runs / rounds; i++) await one.ask(run + i)
      one.seconds += one.cpu() - before
    }
  const [own = 0, ...others] = asked.map(({ seconds }) => (seconds * 1000) / runs)
  const better = timesBetter * Math.min(...others)
  return {
    what,
    value: own,
    unit: 'ms CPU',
    target: atMost(limit === undefined ? better : Math.min(limit, better)),
    peers: Object.fromEntries(peers.map(({ name }, i) => [name, others[i] ?? 0])),
  }
}

/** Compares means of five minutes, and throws where those of Roost and a peer differ by more than their errors. */
export async function assertSameAnswers(stage: Stage, peers: readonly Peer[], cluster: FedCluster): Promise<void> {
  for (const run of [3, 5, 8]) {
    const headers = { authorization: `apikey ${stage.keys[0]}` }
    const answer = await fetch(`${stage.controlPlane.url}${meansOfNode.path(cluster, run)}`, { headers })
    const { metrics } = (await answer.json()) as { metrics: readonly { mean: readonly (number | null)[] }[] }
    const own = metrics.flatMap(({ mean }) => mean.filter((value) => value !== null))
    for (const peer of peers) {
      const series = await peer.ask(meansOfNode.peerPath(cluster, run))
      const others = series.flatMap(({ values }) => values.map(([, value]) => Number(value)))
      if (!areSame(own, others)) throw new Error(`${peer.name} and Roost differ: ${meansOfNode.path(cluster, run)}`)
    }
  }
}

function areSame(own: readonly number[], others: readonly number[]): boolean {
  if (own.length === 0 || own.length !== others.length) return false
  return own.every((value, i) => Math.abs(value - others[i]!) <= 2e-4 * Math.abs(value))
}
