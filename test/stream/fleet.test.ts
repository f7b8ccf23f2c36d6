import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, fetch } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { insertNodes } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'

const isLong = process.env['ROOST_TEST_LONG'] === '1'

let dataDir: string
let database: TestDatabase
let roost: ControlPlaneProcess
let agents: readonly SimulatedAgent[] = []

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'roost-fleet-'))
  database = await createTestDatabase()
})
afterEach(async () => {
  for (const agent of agents) agent.stop('terminate')
  await roost.stop()
  await database.prisma.node.deleteMany()
})
afterAll(async () => {
  await database.drop()
  await rm(dataDir, { recursive: true, force: true })
})

/** The real program in a process of its own; the second start is on the port of the first. */
async function start(more: Readonly<Record<string, string>> = {}): Promise<void> {
  const port = roost === undefined ? '0' : new URL(roost.url).port
  const env = { DATABASE_URL: database.url, ROOST_LISTEN: `127.0.0.1:${port}`, ROOST_LOG_LEVEL: 'warn', ...more }
  roost = await startControlPlane({ dataDir, env })
}

const metrics = Array.from({ length: isLong ? 800 : 50 }, (_, index) => ({
  name: `simulated.${index}.value`,
  unit: 'count',
  aggregation: 'sum' as const,
}))

async function newFleet(count: number, isReporting: boolean): Promise<readonly SimulatedAgent[]> {
  const { id } = await database.prisma.cluster.findFirstOrThrow()
  const nodes = await insertNodes(database, id, count)
  return nodes.map((identity, index) => {
    const reports = isReporting ? { metrics, report: true, inventory: simulatedInventory(`node-${index}`, 2) } : {}
    const trust = roost.url.startsWith('https') ? { ca: roost.ca } : {}
    return new SimulatedAgent({ url: roost.url, identity, reconnect: true, ...trust, ...reports })
  })
}

/** Waits until it condition, and answers how many milliseconds that took. */
async function until(condition: () => boolean, deadlineMs: number): Promise<number> {
  const begin = performance.now()
  while (!condition()) {
    if (performance.now() - begin > deadlineMs) throw new Error(`Not within ${deadlineMs} ms: ${condition.toString()}`)
    await sleep(20)
  }
  return performance.now() - begin
}

const connected = () => agents.filter((agent) => agent.isConnected).length

interface Seen {
  readonly latencies: readonly number[]
  readonly peakMiB: number
}

/** A client who reads pages one after another, as an operator's script would. */
function watchApi(): { stop(): Promise<Seen> } {
  const dispatcher = new Agent({ connect: { ca: roost.ca } })
  const headers = { authorization: `apikey ${roost.key}` }
  const ending = new AbortController()
  const latencies: number[] = []
  let peakMiB = 0
  const reading = (async () => {
    while (!ending.signal.aborted) {
      const begin = performance.now()
      const answer = await fetch(`${roost.url}/api/v1/nodes/?limit=20`, { dispatcher, headers })
      await answer.text()
      latencies.push(performance.now() - begin)
      peakMiB = Math.max(peakMiB, residentMiB(roost.pid))
      await sleep(25)
    }
  })()
  return {
    async stop() {
      ending.abort()
      await reading
      await dispatcher.destroy()
      return { latencies, peakMiB }
    },
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

function print(what: string, values: Readonly<Record<string, number>>): void {
  const parts = Object.entries(values).map(([name, value]) => `${name} ${Math.round(value * 10) / 10}`)
  console.info(`${what}: ${parts.join(', ')}`)
}

describe('a fleet', () => {
  const count = isLong ? 1_000 : 60

  it(
    `of ${count} is whole again within a minute of a crash of the control plane, in 300 MiB, while the API answers`,
    {
      timeout: 600_000,
    },
    async () => {
      await start()
      agents = await newFleet(count, true)
      dialAll(15)
      await until(() => connected() === count, 120_000)
      await roost.kill9()
      await until(() => connected() === 0, 60_000)
      await start()
      const watch = watchApi()
      // An agent that dialed while the server was down waits a minute at most; a slow machine is slow to send its hello.
      const backMs = await until(() => connected() === count, 150_000)
      await until(() => agents.every(({ acknowledged }) => acknowledged > 0), 120_000)
      const { latencies, peakMiB } = await watch.stop()
      print(`${count} agents after kill -9`, {
        'seconds until all are back': backMs / 1000,
        'API p50 ms': quantile(latencies, 0.5),
        'API p99 ms': quantile(latencies, 0.99),
        'resident MiB': peakMiB,
      })
      expect(peakMiB).toBeLessThan(300)
      await vi.waitFor(async () => expect(await onlineCount()).toBe(count), 60_000)
      expect(await database.prisma.device.count()).toBe(count * 2)
    },
  )
})

// Ten thousand connections and their ends: what a desk machine's limits just allow.
describe.runIf(isLong)('a fleet of 9,900 idle agents', () => {
  it(
    'sends at most 200 messages a second, and loses no agent by the long intervals',
    { timeout: 1_500_000 },
    async () => {
      const count = 9_900
      await start({ ROOST_TLS: 'off' })
      agents = await newFleet(count, false)
      dialAll(10)
      // All come from one address, so that a slow machine turns many away, each to come back within two minutes.
      await until(() => connected() === count, 900_000)
      await sleep(60_000) // each receives the intervals, and has used them once
      const interval = Math.min(...agents.map(({ heartbeatMs }) => heartbeatMs))
      const sentBefore = totalSent()
      await sleep(180_000)
      const perSecond = (totalSent() - sentBefore) / 180
      print(`${count} idle agents`, {
        'messages a second': perSecond,
        'heartbeat s': interval / 1000,
        'resident MiB': residentMiB(roost.pid),
      })
      expect(perSecond).toBeLessThanOrEqual(200)
      expect(connected()).toBe(count)
      expect(await onlineCount()).toBe(count)
    },
  )
})

const onlineCount = () => database.prisma.node.count({ where: { state: 'online' } })
const totalSent = () => agents.reduce((sum, { sent }) => sum + sent, 0)

function dialAll(apartMs: number): void {
  for (const [index, agent] of agents.entries()) setTimeout(() => agent.dial(), index * apartMs)
}
