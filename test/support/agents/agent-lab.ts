import type { Clock } from '@roost/runtime'
import { afterEach, beforeEach } from 'vitest'
import { SimulatedClock } from '../clock/simulated-clock.js'
import { startTcpProxy } from '../programs/tcp-proxy.js'
import type { TcpProxy } from '../programs/tcp-proxy.js'
import { ScriptedControlPlane } from './scripted-control-plane.js'
import { enrolledState, startTestAgent } from './test-agent.js'
import type { TestAgent, TestAgentOptions } from './test-agent.js'

type AgentOptions = Omit<TestAgentOptions, 'dataDir' | 'clock'>

/** A scripted control plane, and the state of a node that is enrolled there by way of a proxy. */
interface Link {
  readonly server: ScriptedControlPlane
  readonly proxy: TcpProxy
  readonly state: Awaited<ReturnType<typeof enrolledState>>
}

export interface ScriptedAgent extends Link {
  readonly agent: TestAgent
  stop(): Promise<void>
}

/** An agent by the clock of its test. A test starts it, and may start another one after it. */
export interface AgentLab extends ScriptedAgent {
  readonly clock: SimulatedClock
  start(options?: AgentOptions): Promise<void>
  /** Starts it, and waits until it is connected. */
  connect(options?: AgentOptions): Promise<void>
}

async function openLink(clock: Pick<Clock, 'now'>): Promise<Link> {
  const server = await ScriptedControlPlane.start({ clock: () => clock.now() / 1_000 })
  const proxy = await startTcpProxy({ port: server.port })
  const state = await enrolledState(`http://127.0.0.1:${proxy.port}`)
  server.script.publicKey = state.identity.publicKey
  return { server, proxy, state }
}

async function closeLink({ server, proxy, state }: Link): Promise<void> {
  await proxy.close()
  await server.stop()
  await state.remove()
}

/** Starts an agent by a clock that runs by itself. */
export async function startScriptedAgent(clock: Clock, options: AgentOptions = {}): Promise<ScriptedAgent> {
  const link = await openLink(clock)
  const agent = await startTestAgent({ ...options, dataDir: link.state.dataDir, clock })
  return {
    ...link,
    agent,
    async stop() {
      await agent.agent.stop()
      await closeLink(link)
    },
  }
}

/** Makes a lab for each test of the calling file, and ends it with the agent that was started last. A breach of the protocol fails the test. */
export function useAgentLab(): AgentLab {
  let clock: SimulatedClock
  let link: Link
  let agent: TestAgent
  const lab: AgentLab = {
    get clock() {
      return clock
    },
    get server() {
      return link.server
    },
    get proxy() {
      return link.proxy
    },
    get state() {
      return link.state
    },
    get agent() {
      return agent
    },
    async start(options = {}) {
      agent = await startTestAgent({ ...options, dataDir: link.state.dataDir, clock })
    },
    async connect(options) {
      await lab.start(options)
      await clock.advanceUntil(() => link.server.hellos.length > 0, 60_000)
      await clock.advance(100)
    },
    async stop() {
      await clock.advance(1)
      const stopped = agent.agent.stop()
      await clock.advance(10_000)
      await stopped
      await closeLink(link)
      const { faults } = link.server
      if (faults.length > 0) throw new Error(`The agent broke the protocol: ${faults.join('; ')}`)
    },
  }
  beforeEach(async () => {
    clock = new SimulatedClock()
    link = await openLink(clock)
  })
  afterEach(() => lab.stop())
  return lab
}
