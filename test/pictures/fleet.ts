import { setTimeout as sleep } from 'node:timers/promises'
import { encodeHistoryFrame } from '@roost/api-types/agent'
import { encodeChunk } from '@roost/history'
import type { Database } from '@roost/database'
import { addNode } from '../support/agents/fleet-rows.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { newIdentity } from '../support/agents/simulated-identity.js'
import type { Reachable } from '../support/http/control-plane.js'
import { inventoryOf, machines, planOf } from './machines.js'
import type { Machine } from './machines.js'
import { definitions, valuesAt } from './metrics.js'

const stepMs = 10_000
const windowMs = 300_000
const windows = 12
const deadlineMs = 60_000

/** Agents of all machines, connected as real ones are. */
export interface PictureFleet {
  /** Returns the id of a node by its host name. */
  readonly idOf: (hostname: string) => number
  stop(): void
}

/** Starts the agents, sends the history of the last hour of each, and reports a reading every 10 s. */
export async function startFleet(
  roost: Pick<Reachable, 'url' | 'ca'>,
  database: Database,
  clusterId: number,
): Promise<PictureFleet> {
  const ids = new Map<string, number>()
  const agents: SimulatedAgent[] = []
  for (const machine of machines) {
    const identity = newIdentity()
    const { uuid, publicKey } = identity
    const { hostname, kind } = machine
    const role = { create: { runsProxy: kind === 'proxy', runsGateway: kind === 'gateway' } }
    ids.set(
      hostname,
      await addNode(database, clusterId, { uuid, publicKey, hostname, machineId: `machine-${uuid}`, role }),
    )
    agents.push(agentOf(roost, machine, identity))
  }
  for (const agent of agents) agent.dial()
  for (const agent of agents) await agent.until(({ acknowledged }) => acknowledged > 0)
  for (const [i, agent] of agents.entries()) sendHour(agent, i)
  const report = () => {
    for (const [i, agent] of agents.entries()) agent.sendFrame(valuesAt(Date.now(), i))
  }
  report()
  const timer = setInterval(report, stepMs)
  await historyStored(database, agents.length * windows)
  return {
    idOf: (hostname) => ids.get(hostname) ?? 0,
    stop() {
      clearInterval(timer)
      for (const agent of agents) agent.stop()
    },
  }
}

function agentOf(
  { url, ca }: Pick<Reachable, 'url' | 'ca'>,
  machine: Machine,
  identity: ReturnType<typeof newIdentity>,
): SimulatedAgent {
  const agent: SimulatedAgent = new SimulatedAgent({
    url,
    ca,
    identity,
    hello: {
      capabilities: ['inventory', 'metrics', 'device_usage', 'history'],
      hostname: machine.hostname,
      agent_version: '0.2.0',
    },
    inventory: inventoryOf(machine),
    metrics: definitions,
    onMessage(message) {
      if (message.type !== 'plan_request') return
      agent.send({ type: 'plan', request: message.request, plan: planOf(machine.hostname), error: null })
    },
  })
  return agent
}

/** Sends an hour in chunks of five minutes, as an agent does that was disconnected. */
function sendHour(agent: SimulatedAgent, seed: number): void {
  const end = Math.floor(Date.now() / windowMs) * windowMs
  for (let i = 0; i < windows; i += 1) {
    const startMs = end - (windows - i) * windowMs
    const times = Float64Array.from({ length: windowMs / stepMs }, (_, n) => startMs + n * stepMs)
    const rows = Array.from(times, (time) => valuesAt(time, seed))
    const columns = definitions.map((_, column) => Float64Array.from(rows, (row) => row[column] ?? Number.NaN))
    const chunk = encodeChunk({ times, columns, mantissa: 13 })
    agent.sendBytes(encodeHistoryFrame({ catalogue: 1, sequence: 100 + i, mantissa: 13, chunk }))
  }
}

async function historyStored({ pool }: Database, chunks: number): Promise<void> {
  for (const end = Date.now() + deadlineMs; Date.now() < end; await sleep(100)) {
    const { rows } = await pool.query<{ count: number }>(
      'select count(*)::int as count from metric_raw where owner_kind = 0',
    )
    if ((rows[0]?.count ?? 0) >= chunks) return
  }
  throw new Error('The history of the nodes was not stored in time.')
}
