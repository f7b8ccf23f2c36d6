import type { KeyObject } from 'node:crypto'
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { MetricDefinition } from '@roost/api-types/agent'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'

export interface FleetOrder {
  readonly url: string
  readonly identities: readonly { readonly uuid: string; readonly privateKey: KeyObject }[]
  /** Names of each agent's metrics, by its position. */
  readonly names: readonly (readonly string[])[]
}

/** Sends so many frames from every agent, and answers when the control plane has taken the last one. */
export interface Burst {
  readonly frames: number
}

/** Not more than greet at once from one address. */
const dialledAtOnce = 50

const { url, identities, names } = workerData as FleetOrder
const port = parentPort as NonNullable<typeof parentPort>
let pongs = 0

const agents = identities.map(
  (identity, i) =>
    new SimulatedAgent({
      url,
      identity,
      metrics: (names[i % names.length] ?? []).map(definition),
      report: true,
      reconnect: true,
      onMessage: (message) => {
        if (message.type === 'pong' && message.id === burstId) pongs++
      },
    }),
)
const burstId = 77
/** Numbers of full length, as readings are. */
const readings = agents.map(({ options }) => Float64Array.from(options.metrics ?? [], () => Math.random() * 1e6))

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

port.on('message', (order: Burst | 'stop') => {
  if (order === 'stop') {
    for (const agent of agents) agent.stop()
    port.close()
    return
  }
  void burst(order).then(() => port.postMessage('done'))
})
await connect()
port.postMessage('done')
