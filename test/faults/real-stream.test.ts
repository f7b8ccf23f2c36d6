import { systemClock } from '@roost/runtime'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type StreamServer, startStreamServer } from '../stream/stream-server.js'
import { startTcpProxy, type TcpProxy } from '../support/programs/tcp-proxy.js'
import { enrolledState, startTestAgent, type TestAgent } from '../support/agents/test-agent.js'

/** A fifteenth of the usual one: what takes a minute in the field takes four seconds here, on a machine at rest. */
const heartbeatMs = 1000
/** In bytes: before the upgrade is answered, in the hello, in the first inventory. */
const cuts = process.env.ROOST_TEST_LONG === '1' ? [10, 300, 600, 900, 1200, 1500, 2500, 5000] : [10, 900, 2500]
const nodeUuid = '0d4c8f0e-55a0-4d0c-9d4b-6f0f6a1d7c11'

let server: StreamServer
let proxy: TcpProxy
let state: Awaited<ReturnType<typeof enrolledState>>
let agent: TestAgent
let nodeId: number

beforeEach(async () => {
  server = await startStreamServer({ heartbeatMs, reportIntervalMs: 1000 })
  proxy = await startTcpProxy({ port: Number(new URL(server.url).port) })
  state = await enrolledState(`http://127.0.0.1:${proxy.port}`)
  const publicKey = new Uint8Array(Buffer.from(state.identity.publicKey, 'base64'))
  const row = {
    uuid: nodeUuid,
    clusterId: server.clusterId,
    publicKey,
    hostname: 'node',
    machineId: 'machine',
    bootId: 'boot',
  }
  nodeId = (await server.database.prisma.node.create({ data: { ...row, otherIps: [], operatorFields: [] } })).id
  agent = await startTestAgent({ dataDir: state.dataDir, clock: systemClock })
  await vi.waitUntil(() => server.heard.inventories.length > 0, { timeout: 60_000 })
})

afterEach(async () => {
  proxy.set({ kind: 'pass' })
  await agent.agent.stop()
  await proxy.close()
  await server.close()
  await state.remove()
})

async function becomes(expected: string, withinMs: number): Promise<void> {
  await expect.poll(() => server.stateOf(nodeId), { timeout: withinMs, interval: 50 }).toBe(expected)
}

it.each([
  ['both ways', 'both'],
  ['to the agent alone', 'down'],
] as const)(
  'goes on by itself after a link that was dead %s: stale, offline, online',
  async (_, direction) => {
    await becomes('online', 60_000)
    const accepted = proxy.accepted
    proxy.set({ kind: 'black-hole', direction })
    // The agent dials again within the minute; a link that carries nothing up lets the node go stale and offline meanwhile.
    await expect.poll(() => proxy.accepted, { timeout: 60_000 }).toBeGreaterThan(accepted)
    await becomes('offline', 60_000)
    proxy.set({ kind: 'pass' })
    const frames = server.heard.frames.length
    await becomes('online', 90_000)
    await expect.poll(() => server.heard.frames.length, { timeout: 60_000 }).toBeGreaterThan(frames)
  },
  400_000,
)

it('has every inventory stored that the machine gave, over cuts at any byte', async () => {
  for (const afterBytes of cuts) {
    const name = `node-${afterBytes}`
    proxy.set({ kind: 'cut', afterBytes })
    agent.change(name)
    await expect.poll(() => proxy.open, { timeout: 90_000, interval: 5 }).toBe(0)
    proxy.set({ kind: 'pass' })
    const names = () => server.heard.inventories.map(({ message }) => message.inventory.host.hostname)
    await expect.poll(names, { timeout: 120_000 }).toContain(name)
  }
}, 400_000)
