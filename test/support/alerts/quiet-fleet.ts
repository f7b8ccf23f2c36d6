import type { ServerMessage } from '@roost/api-types/agent'
import { addCluster, addNode } from '../agents/fleet-rows.js'
import { SimulatedAgent } from '../agents/simulated-agent.js'
import { newIdentity } from '../agents/simulated-identity.js'
import type { NewIdentity } from '../agents/simulated-identity.js'
import type { TestApi } from '../http/api.js'
import { newMachine, quietInventory, quietMetrics, usageOf, valuesOf } from './quiet-machine.js'
import type { QuietMachine } from './quiet-machine.js'
import type { SimulatedTime } from './simulated-time.js'

/** A heartbeat; every second one, a round of the health. */
const stepMs = 15_000
const roundSteps = 2
const hourMs = 3_600_000

/** A machine of the fleet with its agent. */
export interface QuietNode {
  readonly id: number
  readonly uri: string
  readonly machine: QuietMachine
  /** Ends the agent without a word. */
  stop(): void
  /** Starts it again, in another version if one is given. */
  start(version?: string): Promise<void>
  /** Changes the machine, which its agent reports at once. */
  change(change: Partial<QuietMachine>): Promise<void>
}

/** A cluster of machines without faults, whose agents report by the stream as real ones do. The suite moves the time. */
export interface QuietFleet {
  readonly cluster: number
  readonly storage: readonly [QuietNode, QuietNode, QuietNode]
  readonly gateway: QuietNode
  /** Lets time pass: with heartbeats, readings and usage of all agents that run, and what the control plane does meanwhile. */
  pass(ms: number): Promise<void>
  stop(): void
}

/** Starts three storage nodes and a gateway. `passed` is called after each round of the health. */
export async function startQuietFleet(
  api: TestApi,
  time: SimulatedTime,
  passed: () => Promise<void> = async () => {},
): Promise<QuietFleet> {
  const cluster = await addCluster(api.database, 'east')
  const enroll = (hostname: string, seed: number) => QuietNodeAgent.enroll(api, cluster, hostname, seed)
  const storage = [await enroll('store-1', 1), await enroll('store-2', 2), await enroll('store-3', 3)] as const
  const gateway = await enroll('gateway-1', 4)
  const nodes = [...storage, gateway]
  for (const node of nodes) await node.start()
  let steps = 0
  return {
    cluster,
    storage,
    gateway,
    async pass(ms) {
      for (let left = ms; left > 0; left -= stepMs) {
        await time.pass(stepMs)
        await Promise.all(nodes.map((node) => node.report()))
        steps++
        if (steps % roundSteps !== 0) continue
        await work(api, (steps * stepMs) % hourMs === 0)
        await passed()
      }
    },
    stop: () => nodes.forEach((node) => node.stop()),
  }
}

/** The jobs of the control plane that lead to alerts. */
async function work({ context: { capacity, healthRounds } }: TestApi, isHour: boolean): Promise<void> {
  await capacity.writer.flush()
  if (isHour) await capacity.recordDay()
  if (isHour) await capacity.forecastDevices()
  await healthRounds.run()
}

class QuietNodeAgent implements QuietNode {
  readonly id: number
  readonly uri: string
  readonly machine: QuietMachine
  readonly #api: TestApi
  readonly #identity: NewIdentity
  #agent: SimulatedAgent | undefined
  #version = '1.0.0'
  #sequence = 0
  #pings = 0

  private constructor(api: TestApi, id: number, machine: QuietMachine, identity: NewIdentity) {
    this.id = id
    this.uri = `/api/v1/nodes/${id}/`
    this.machine = machine
    this.#api = api
    this.#identity = identity
  }

  static async enroll(api: TestApi, cluster: number, hostname: string, seed: number): Promise<QuietNodeAgent> {
    const identity = newIdentity()
    const { uuid, publicKey } = identity
    const role = { create: { runsGateway: hostname.startsWith('gateway') } }
    const id = await addNode(api.database, cluster, { uuid, publicKey, hostname, role, machineId: `machine-${uuid}` })
    return new QuietNodeAgent(api, id, newMachine(hostname, seed), identity)
  }

  stop(): void {
    this.#agent?.stop('terminate')
    this.#agent = undefined
  }

  async start(version = this.#version): Promise<void> {
    this.#version = version
    this.#pings = 0
    const { url, ca } = this.#api
    const agent: SimulatedAgent = new SimulatedAgent({
      url,
      ca,
      identity: this.#identity,
      hello: { agent_version: version },
      metrics: quietMetrics,
      clockAheadSeconds: this.machine.clockAheadSeconds,
      onMessage: (message) => this.#answer(message),
    })
    this.#agent = agent
    agent.dial()
    await agent.until(({ welcomed }) => welcomed > 0)
    await this.#sendInventory()
  }

  async change(change: Partial<QuietMachine>): Promise<void> {
    Object.assign(this.machine, change)
    if (this.#agent !== undefined) await this.#sendInventory()
  }

  /** Sends a heartbeat, a reading and the usage of its devices, and waits until they were received. */
  async report(): Promise<void> {
    const agent = this.#agent
    if (agent === undefined) return
    const now = Date.now()
    const clock = now / 1_000 + this.machine.clockAheadSeconds
    agent.sendFrame(valuesOf(this.machine, now), clock)
    const devices = this.machine.isGateway ? [] : usageOf(this.machine, now)
    agent.send({ type: 'device_usage', time: clock, devices })
    this.#pings += 1
    agent.send({ type: 'ping', id: this.#pings, clock })
    await agent.until(({ pongs }) => pongs >= this.#pings)
  }

  async #sendInventory(): Promise<void> {
    const sequence = this.#number()
    this.#agent?.send({ type: 'inventory', sequence, inventory: quietInventory(this.machine, Date.now()) })
    await this.#agent?.until(({ acknowledged }) => acknowledged >= sequence)
  }

  /** Applies what is deployed to it. */
  #answer(message: ServerMessage): void {
    if (message.type !== 'desired') return
    const { generation, desired } = message
    const result = { kind: desired.kind, generation, outcome: 'applied', in_force: generation, message: '', files: [] }
    this.#agent?.send({ type: 'applied', sequence: this.#number(), ...result })
  }

  #number(): number {
    this.#sequence += 1
    return this.#sequence
  }
}
