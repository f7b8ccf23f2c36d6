import type { KeyObject } from 'node:crypto'
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { MetricDefinition } from '@roost/api-types/agent'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { frameOf, readingsOfWindow, windowMs } from './history/feed.js'
import { ModelNode, modelSeries } from './history/model.js'

export interface FleetOrder {
  readonly url: string
  readonly identities: readonly { readonly uuid: string; readonly privateKey: KeyObject }[]
  /** Names of each agent's metrics, by its position. */
  readonly names: readonly (readonly string[])[]
  /** How many devices each agent reports. */
  readonly devices: number
}

/** Sends so many frames from every agent, and answers when the control plane has taken the last one. */
export interface Burst {
  readonly frames: number
}

/** Not more than greet at once from one address. */
const dialledAtOnce = 50
const reportIntervalMs = 10_000

const { url, identities, names, devices } = workerData as FleetOrder
const port = parentPort as NonNullable<typeof parentPort>
let pongs = 0

const agents = identities.map(
  (identity, i) =>
    new SimulatedAgent({
      url,
      identity,
      metrics: (names[i % names.length] ?? []).map(definition),
      report: true,
      hello: { capabilities: ['inventory', 'metrics', 'device_usage', 'history'] },
      ...(devices > 0 && { inventory: simulatedInventory(`node-${i}`, devices) }),
      reconnect: true,
      onMessage: (message) => {
        if (message.type === 'pong' && message.id === burstId) pongs++
      },
    }),
)
const burstId = 77
/** Numbers of full length, as readings are. */
const readings = agents.map(({ options }) => Float64Array.from(options.metrics ?? [], () => Math.random() * 1e6))

/** Sends the usage of all devices of one agent, each with other bytes than before, between a quarter and three quarters full. */
function reportUsage(agent: SimulatedAgent): void {
  const free = 1e12 + Math.floor(Math.random() * 2e12)
  agent.send({
    type: 'device_usage',
    time: Date.now() / 1000,
    devices: Array.from({ length: devices }, (_, i) => ({
      key: `/srv/node/d${i}`,
      status: 'ok',
      figures: { total_bytes: 4e12, free_bytes: free + i, available_bytes: free },
    })),
  })
}

/** Spreads the reports of the fleet over the interval, as agents do. */
function startReports(): NodeJS.Timeout {
  let at = 0
  return setInterval(() => {
    for (let i = 0; i < agents.length / 100; i++) reportUsage(agents[at++ % agents.length] as SimulatedAgent)
  }, reportIntervalMs / 100)
}

/** Each agent sends a window of the model that ends now, one in five minutes, one agent after the other. */
function startHistory(): NodeJS.Timeout {
  const models = agents.map(({ options }, i) => new ModelNode(modelSeries(options.metrics?.length ?? 0), i))
  let sent = 0
  return setInterval(() => {
    const i = sent % agents.length
    sent += 1
    const readings = models[i]!.read(Date.now() - windowMs, readingsOfWindow)
    agents[i]!.sendBytes(frameOf(readings, Math.ceil(sent / agents.length)))
  }, windowMs / agents.length)
}

function definition(name: string, i: number): MetricDefinition {
  return { name, unit: 'count', aggregation: i % 2 === 0 ? 'sum' : 'mean' }
}

async function connect(): Promise<void> {
  for (let start = 0; start < agents.length; start += dialledAtOnce) {
    const some = agents.slice(start, start + dialledAtOnce)
    for (const agent of some) agent.dial()
    await Promise.all(some.map((agent) => agent.until(({ welcomed }) => welcomed > 0)))
  }
  await burst({ frames: 1 })
}

async function burst({ frames }: Burst): Promise<void> {
  pongs = 0
  for (let i = 0; i < frames; i++) {
    for (const [at, agent] of agents.entries()) agent.sendFrame(readings[at] as Float64Array)
    await drained()
  }
  for (const agent of agents) agent.send({ type: 'ping', id: burstId })
  while (pongs < agents.length) await sleep(1)
}

async function drained(): Promise<void> {
  while (agents.some(({ socket }) => socket.bufferedAmount > 0)) await nextTick()
}

const timers: NodeJS.Timeout[] = []
port.on('message', (order: Burst | 'stop' | 'report usage' | 'send history') => {
  if (order === 'stop') {
    for (const timer of timers) clearInterval(timer)
    for (const agent of agents) agent.stop()
    port.close()
    return
  }
  if (order === 'report usage') {
    timers.push(startReports())
    return
  }
  if (order === 'send history') {
    timers.push(startHistory())
    return
  }
  void burst(order).then(() => port.postMessage('done'))
})
await connect()
port.postMessage('done')
