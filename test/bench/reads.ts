import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { cpuSeconds, median, timesOf } from './measure.js'
import type { Reader } from './reader.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'
import { metricNames, openStage, sharedNames } from './stage.js'
import type { Fleet, Stage } from './stage.js'
import type { Waited, WaiterOrder } from './waiter-worker.js'

interface Query {
  readonly what: string
  readonly path: string
  readonly runs: number
  readonly limit: number
  readonly peers: Readonly<Record<string, number>>
}

const peers = (graphite: number, victoria: number, prometheus: number, floor: number) => ({
  'graphite-web': graphite,
  VictoriaMetrics: victoria,
  Prometheus: prometheus,
  'JS without HTTP': floor,
})

function queriesOf80k({ clusterId, nodeIds }: Fleet, distinct: Fleet): readonly Query[] {
  const across = `/api/v1/clusters/${clusterId}/metrics/across/?metrics=`
  const node = `/api/v1/nodes/${nodeIds[7]}/metrics/poll/?metrics=`
  const cluster = `/api/v1/clusters/${clusterId}/metrics/poll/?metrics=`
  const names = `/api/v1/clusters/${distinct.clusterId}/metrics/list/`
  return [
    { what: 'one series', path: `${node}disk.d07.f13`, runs: 1000, limit: 0.3, peers: peers(2.6, 0.2, 0.17, 0.03) },
    {
      what: 'one per node (100)',
      path: `${across}disk.d07.f13`,
      runs: 1000,
      limit: 0.45,
      peers: peers(21.9, 3.6, 0.45, 0.05),
    },
    { what: 'one node (800)', path: `${node}*`, runs: 500, limit: 1, peers: peers(147, 9, 3.7, 0.23) },
    {
      what: 'disk.*.f13 (4,000)',
      path: `${across}disk.*.f13`,
      runs: 200,
      limit: 3,
      peers: peers(846, 46, 17, 0.9),
    },
    { what: 'everything (80,000)', path: `${across}*`, runs: 15, limit: 90, peers: peers(16_350, 829, 474, 45) },
    { what: 'all names (80,000 distinct)', path: names, runs: 20, limit: 30, peers: peers(480, 62, 277, 3) },
    {
      what: 'mean of one name over 100 nodes',
      path: `${cluster}disk.d07.f13`,
      runs: 1000,
      limit: 0.4,
      peers: peers(24.5, 3.7, 1, 0.1),
    },
  ]
}

function queriesOf800k({ clusterId }: Fleet): readonly Query[] {
  const across = `/api/v1/clusters/${clusterId}/metrics/across/?metrics=`
  const cluster = `/api/v1/clusters/${clusterId}/metrics/`
  return [
    {
      what: '800k: one per node (1,000)',
      path: `${across}disk.d07.f13`,
      runs: 300,
      limit: 1.5,
      peers: { VictoriaMetrics: 44, Prometheus: 3.9, 'JS without HTTP': 0.16 },
    },
    {
      what: '800k: all 800 cluster aggregates',
      path: `${cluster}poll/?metrics=*`,
      runs: 100,
      limit: 4,
      peers: { 'JS without HTTP': 1.4 },
    },
    { what: '800k: names of the cluster', path: `${cluster}list/`, runs: 100, limit: 30, peers: {} },
    {
      what: '800k: everything (800,000)',
      path: `${across}*`,
      runs: 5,
      limit: 1300,
      peers: { 'graphite-web and VictoriaMetrics': 8450, 'JS without HTTP': 650 },
    },
  ]
}

/** Latest values over HTTP with one client; the fleet goes on reporting. */
export async function benchReads(): Promise<readonly Row[]> {
  const stage = await openStage()
  try {
    const small = await stage.addFleet(100, [sharedNames])
    const distinct = await stage.addFleet(
      100,
      Array.from({ length: 100 }, (_, i) => metricNames(`sw.n${String(i).padStart(5, '0')}.disk`)),
    )
    const reader = stage.reader()
    const { pid } = stage.controlPlane
    const rows = await rowsOf(pid, reader, queriesOf80k(small, distinct))
    const large = await stage.addFleet(1000, [sharedNames])
    rows.push(...(await rowsOf(pid, reader, queriesOf800k(large))))
    rows.push(await longestWait(stage, large, reader))
    await reader.close()
    return rows
  } finally {
    await stage.close()
  }
}

async function rowsOf(pid: number, reader: Reader, queries: readonly Query[]): Promise<Row[]> {
  const rows: Row[] = []
  // A server that has just started is slower than it will be all day.
  for (const { path, limit } of queries) await timesOf(limit <= 1.5 ? 1500 : 3, () => reader.read(path))
  for (const { what, path, runs, limit, peers } of queries) {
    const cpuBefore = cpuSeconds(pid)
    const times = await timesOf(runs, () => reader.read(path), 0)
    const cpuMs = ((cpuSeconds(pid) - cpuBefore) * 1000) / runs
    rows.push({ ...row(what, median(times), 'ms', atMost(limit), peers), cpuMs })
  }
  return rows
}

/** How long somebody else waits for one series while everything is read. */
async function longestWait(stage: Stage, { clusterId, nodeIds }: Fleet, reader: Reader): Promise<Row> {
  const path = `/api/v1/nodes/${nodeIds[7]}/metrics/poll/?metrics=disk.d07.f13`
  const { pid, url } = stage.controlPlane
  const workerData: WaiterOrder = { pid, url, keys: stage.keys, path }
  const waiter = new Worker(new URL('waiter-worker.js', import.meta.url), { workerData })
  await once(waiter, 'message')
  for (let i = 0; i < 3; i++) await reader.read(`/api/v1/clusters/${clusterId}/metrics/across/?metrics=*`)
  waiter.postMessage('stop')
  const [{ longest, mostCpu }] = (await once(waiter, 'message')) as [Waited]
  return { ...row('800k: longest wait of another request meanwhile', longest, 'ms', atMost(50)), cpuMs: mostCpu }
}
