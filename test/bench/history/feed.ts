import { encodeHistoryFrame } from '@roost/api-types/agent'
import { lengthPrefix } from '@roost/control-plane/dist/prometheus/remote/protobuf.js'
import {
  encodeLabels,
  encodeSamples,
  prometheusName,
  sampleBytes,
  withGapMarks,
} from '@roost/control-plane/dist/prometheus/remote/series.js'
import { snappyLiterals } from '@roost/control-plane/dist/prometheus/remote/snappy.js'
import { encodeChunk } from '@roost/history'
import { SimulatedAgent } from '../../support/agents/simulated-agent.js'
import { insertNodes } from '../../support/agents/nodes.js'
import type { Stage } from '../stage.js'
import { definitionsOf, ModelNode } from './model.js'
import type { ModelSeries, Readings } from './model.js'
import type { Peer } from './peers.js'

export const readingsOfWindow = 30
export const windowMs = 300_000
const mantissa = 13
/** Windows that wait for their acknowledgement, of each node. */
const windowsAhead = 4
/** In a request to a peer. */
const samplesAtOnce = 24_000

/** A cluster of the model with a day of readings. */
export interface FedCluster {
  readonly clusterId: number
  readonly name: string
  readonly nodeIds: readonly number[]
  readonly series: readonly ModelSeries[]
  /** The day, in Unix milliseconds. */
  readonly fromMs: number
  readonly endMs: number
  readonly samples: number
}

export interface FeedOptions {
  readonly name: string
  readonly nodes: number
  readonly series: readonly ModelSeries[]
  readonly fromMs: number
  readonly hours: number
}

/** The label `node` that peers know a node by. */
export const nodeLabel = (i: number) => `node-${i}`

/** Sends the readings of a cluster to the control plane, as agents send what they kept. */
export async function feed(stage: Stage, options: FeedOptions): Promise<FedCluster> {
  const { name, nodes, series, fromMs, hours } = options
  const { id: clusterId } = await stage.database.prisma.cluster.create({ data: { name } })
  const identities = await insertNodes(stage.database, clusterId, nodes)
  const senders = identities.map((identity, i) => createSender(stage.controlPlane.url, identity, series, i))
  await Promise.all(senders.map(({ agent }) => agent.until(({ welcomed }) => welcomed === 1)))
  const windows = (hours * 3_600_000) / windowMs
  for (let w = 0; w < windows; w++) {
    for (const sender of senders) sender.send(fromMs + w * windowMs, w + 1)
    await Promise.all(senders.map((sender) => sender.stored(w + 1 - windowsAhead)))
  }
  await Promise.all(senders.map((sender) => sender.stored(windows)))
  for (const { agent } of senders) agent.stop()
  return {
    clusterId,
    name,
    nodeIds: identities.map(({ id }) => id),
    series,
    fromMs,
    endMs: fromMs + windows * windowMs,
    samples: nodes * series.length * windows * readingsOfWindow,
  }
}

/** Sends the same readings to the peers, with the names and labels of `remote_write`, many nodes in a request. */
export async function feedPeers(peers: readonly Peer[], options: FeedOptions): Promise<void> {
  const { name, nodes, series, fromMs, hours } = options
  const models = Array.from({ length: nodes }, (_, i) => new ModelNode(series, i))
  const outboxes = peers.map((peer) => createOutbox(peer))
  const nodesAtOnce = Math.max(1, Math.floor(samplesAtOnce / readingsOfWindow / series.length))
  for (let fromOfWindow = fromMs; fromOfWindow < fromMs + hours * 3_600_000; fromOfWindow += windowMs)
    for (let first = 0; first < nodes; first += nodesAtOnce) {
      const parts = models.slice(first, first + nodesAtOnce).flatMap((model, i) =>
        encodeSeries(model.read(fromOfWindow, readingsOfWindow), series, {
          cluster: name,
          node: nodeLabel(first + i),
        }),
      )
      for (const outbox of outboxes) await outbox.push(parts)
    }
  await Promise.all(outboxes.map((outbox) => outbox.sent()))
}

/** Connects an agent that sends the readings of a node of the model. */
function createSender(
  url: string,
  identity: SimulatedAgent['options']['identity'],
  series: readonly ModelSeries[],
  number: number,
) {
  const model = new ModelNode(series, number)
  let acknowledged = 0
  let refusal: string | undefined
  const agent = new SimulatedAgent({
    url,
    identity,
    metrics: definitionsOf(series),
    hello: { capabilities: ['inventory', 'metrics', 'device_usage', 'history'] },
    onMessage(message) {
      if (message.type === 'ack') acknowledged = Math.max(acknowledged, message.sequence)
      if (message.type === 'refused') refusal = message.message
    },
  })
  agent.dial()
  return {
    agent,
    send: (windowFromMs: number, sequence: number) =>
      agent.sendBytes(frameOf(model.read(windowFromMs, readingsOfWindow), sequence)),
    async stored(sequence: number): Promise<void> {
      const isOver = () => acknowledged >= sequence || refusal !== undefined || agent.ended !== undefined
      await agent.until(isOver, 300_000)
      if (acknowledged < sequence) throw new Error(`A chunk was not stored: ${refusal ?? JSON.stringify(agent.ended)}`)
    },
  }
}

/** Returns the message that an agent sends of a window. */
export function frameOf(readings: Readings, sequence: number): Uint8Array {
  return encodeHistoryFrame({ catalogue: 1, sequence, mantissa, chunk: encodeChunk({ ...readings, mantissa }) })
}

/** Encodes the readings of a node as series of a WriteRequest. */
function encodeSeries(
  { times, columns }: Readings,
  series: readonly ModelSeries[],
  labels: Readonly<Record<string, string>>,
): Buffer[] {
  const timesList = [...times]
  return columns.flatMap((column, j) => {
    const kept = withGapMarks({ times: timesList, values: [...column] })
    if (kept.times.length === 0) return []
    const metric = series[j]!.name
    const encoded = encodeLabels({ __name__: prometheusName(metric), metric, ...labels })
    const prefix = lengthPrefix(1, encoded.length + kept.times.length * sampleBytes)
    return [prefix, encoded, encodeSamples(kept)]
  })
}

/** Sends requests to a peer in their order; one waits while one is sent. */
function createOutbox(peer: Peer) {
  let sending: Promise<void> = Promise.resolve()
  let waiting: Promise<void> = Promise.resolve()
  return {
    async push(parts: readonly Buffer[]) {
      const length = parts.reduce((sum, part) => sum + part.length, 0)
      const body = Buffer.concat([...snappyLiterals(length, [Buffer.concat(parts)])])
      await waiting
      waiting = sending
      sending = sending.then(() => peer.write(body))
      // Who waits for it gets the error.
      sending.catch(() => {})
    },
    sent: () => sending,
  }
}
