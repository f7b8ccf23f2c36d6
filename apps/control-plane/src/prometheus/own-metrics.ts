import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { StreamMetrics } from '../agents/stream.js'
import type { HistoryMetrics } from '../history/feature.js'
import type { IntakeCounters } from '../metrics/latest-values.js'
import type { RemoteWriteMetrics } from './remote/writer.js'

/** The sources of the metrics of this process. */
export interface ProcessSources {
  readonly version: string
  readonly stream: () => StreamMetrics
  readonly intake: () => IntakeCounters & { readonly nodes: number; readonly names: number }
  /** NaN while it is unknown. */
  readonly dataDirAvailableBytes: () => number
  readonly disk: { readonly isFull: boolean }
  readonly alertDelivery: () => { readonly results: Readonly<Record<string, number>>; readonly waiting: number }
  readonly history: () => HistoryMetrics
  /** Undefined where the history is sent nowhere. */
  readonly remoteWrite: () => RemoteWriteMetrics | undefined
  readonly pool: { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number }
}

export interface ProcessMetrics {
  readonly registry: Registry
  /** Records an HTTP request that was answered. */
  observeRequest(method: string, route: string, status: number, seconds: number): void
}

/** Creates the metrics of this process, which need no database. */
export function createProcessMetrics(sources: ProcessSources): ProcessMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const gauge = gauges(registry)
  const counter = counters(registry)
  const requests = new Histogram({
    name: 'roost_http_request_duration_seconds',
    help: 'Time to answer an HTTP request, by route',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  new Gauge({
    name: 'roost_build_info',
    help: 'The release of the control plane; always 1',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: sources.version }, 1)
  addStream(sources, gauge, counter)
  addDatabase(sources, gauge)
  addAlertDelivery(sources, gauge, counter)
  addHistory(sources, gauge, counter)
  return {
    registry,
    observeRequest: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
  }
}

type Read = () => Readonly<Record<string, number>>
type Add = (name: string, help: string, label: string, read: Read) => void

/** Returns the values with their labels. An empty label is none. */
function labeled(label: string, read: Read): readonly (readonly [labels: Record<string, string>, value: number])[] {
  return Object.entries(read()).map(([name, value]) => [label === '' ? {} : { [label]: name }, value])
}

/** Values are read when a client asks for the metrics. */
function gauges(registry: Registry): Add {
  return (name, help, label, read) => {
    const collect = function collect(this: Gauge) {
      for (const [labels, value] of labeled(label, read)) this.set(labels, value)
    }
    registry.registerMetric(new Gauge({ ...optionsOf(name, help, label), collect }))
  }
}

function counters(registry: Registry): Add {
  return (name, help, label, read) => {
    const collect = function collect(this: Counter) {
      this.reset()
      for (const [labels, value] of labeled(label, read)) this.inc(labels, value)
    }
    registry.registerMetric(new Counter({ ...optionsOf(name, help, label), collect }))
  }
}

function optionsOf(name: string, help: string, label: string) {
  return { name, help, labelNames: label === '' ? [] : [label], registers: [] }
}

function addStream({ stream, intake }: ProcessSources, gauge: Add, counter: Add): void {
  gauge(
    'roost_stream_sessions',
    'Open connections of agents, by state: connected, parked (another machine has the same identity) or greeting (in the handshake)',
    'state',
    () => {
      const { connected, parked, handshakes } = stream()
      return { connected, parked, greeting: handshakes }
    },
  )
  counter('roost_stream_messages_total', 'Messages received from agents', 'kind', () => {
    const { frames, messages } = stream()
    return { frame: frames, text: messages }
  })
  counter('roost_stream_refused_total', 'Messages from agents that were refused', '', () => ({
    '': stream().refused,
  }))
  counter('roost_metric_samples_total', 'Values of accepted metric frames', '', () => ({ '': intake().samples }))
  counter('roost_metric_frames_total', 'Accepted metric frames', '', () => ({ '': intake().frames }))
  counter('roost_metric_frames_dropped_total', 'Metric frames that were dropped, by reason', 'reason', () => {
    const { unknownCatalogue, late } = intake()
    return { unknown_catalogue: unknownCatalogue, late }
  })
  gauge('roost_metric_nodes', 'Nodes that have reported metrics', '', () => ({ '': intake().nodes }))
  gauge('roost_metric_names', 'Distinct metric names in memory', '', () => ({ '': intake().names }))
}

function addAlertDelivery({ alertDelivery }: ProcessSources, gauge: Add, counter: Add): void {
  const help = 'Attempts to send alerts, by result: delivered, failed (sent again), given_up or canceled'
  counter('roost_alert_deliveries_total', help, 'result', () => alertDelivery().results)
  gauge('roost_alert_deliveries_waiting', 'Messages about alerts that are not sent yet', '', () => ({
    '': alertDelivery().waiting,
  }))
}

function addDatabase({ pool, disk, dataDirAvailableBytes }: ProcessSources, gauge: Add): void {
  gauge('roost_data_dir_available_bytes', 'Bytes available on the disk of the data directory', '', () => ({
    '': dataDirAvailableBytes(),
  }))
  const diskHelp = 'Whether the disk of the database is full: writes are refused, and reads are answered'
  gauge('roost_database_disk_full', diskHelp, '', () => ({ '': Number(disk.isFull) }))
  gauge('roost_database_connections', 'Connections to the database', 'state', () => ({
    idle: pool.idleCount,
    busy: pool.totalCount - pool.idleCount,
  }))
  gauge('roost_database_waiting_requests', 'Queries that are waiting for a connection', '', () => ({
    '': pool.waitingCount,
  }))
}

function addHistory({ history, remoteWrite }: ProcessSources, gauge: Add, counter: Add): void {
  counter('roost_history_chunks_total', 'Chunks of history from agents, by result', 'result', () => {
    const { chunks, refused, tooOld } = history()
    return { stored: chunks, refused, too_old: tooOld }
  })
  counter('roost_history_samples_total', 'Values of stored chunks of history', '', () => ({ '': history().samples }))
  gauge('roost_history_bytes', 'Bytes of the history in the database, by level', 'level', () => history().sizes)
  gauge('roost_history_max_bytes', 'Bytes that the history may use', '', () => ({ '': history().maxBytes }))
  const pausedHelp = 'Whether no history is stored, because less than a tenth of the disk is available'
  gauge('roost_history_paused', pausedHelp, '', () => ({ '': Number(history().isPaused) }))
  const sent = remoteWrite()
  if (sent === undefined) return
  const read = () => remoteWrite() ?? sent
  counter('roost_remote_write_chunks_total', 'Chunks of history for remote_write, by result', 'result', () => {
    const { sentChunks, refusedChunks, lostChunks } = read()
    return { sent: sentChunks, refused: refusedChunks, lost: lostChunks }
  })
  counter('roost_remote_write_samples_total', 'Values sent by remote_write', '', () => ({ '': read().sentSamples }))
  gauge('roost_remote_write_waiting_chunks', 'Chunks that wait to be sent', '', () => ({ '': read().chunks }))
  gauge('roost_remote_write_lag_seconds', 'Age of the oldest chunk that waits to be sent', '', () => {
    const { oldestMs, nowMs } = read()
    return { '': oldestMs === undefined ? 0 : Math.max(0, (nowMs - oldestMs) / 1000) }
  })
}
