import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { closeCodes } from '@roost/api-types/agent'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ScriptedControlPlane } from '../support/agents/scripted-control-plane.js'
import { SimulatedClock } from '../support/clock/simulated-clock.js'
import { startTcpProxy, type TcpProxy } from '../support/programs/tcp-proxy.js'
import { enrolledState, startTestAgent, type TestAgent } from '../support/agents/test-agent.js'

const minute = 60_000
const hour = 60 * minute
const isLong = process.env.ROOST_TEST_LONG === '1'

let clock: SimulatedClock
let state: Awaited<ReturnType<typeof enrolledState>>
let server: ScriptedControlPlane
let proxy: TcpProxy
let agent: TestAgent

beforeEach(async () => {
  clock = new SimulatedClock()
  server = await ScriptedControlPlane.start({ clock: () => clock.now() / 1000 })
  proxy = await startTcpProxy({ port: server.port })
  state = await enrolledState(`http://127.0.0.1:${proxy.port}`)
  server.script.publicKey = state.identity.publicKey
})

afterEach(async () => {
  await clock.advance(1)
  const stopped = agent.agent.stop()
  await clock.advance(10_000)
  await stopped
  await proxy.close()
  await server.stop()
  await state.remove()
  if (server.faults.length > 0) throw new Error(`The agent broke the protocol: ${server.faults.join('; ')}`)
})

async function start(random?: () => number): Promise<void> {
  agent = await startTestAgent({ dataDir: state.dataDir, clock, ...(random ? { random } : {}) })
  await clock.advanceUntil(() => server.hellos.length > 0, minute)
  await clock.advance(100)
}

it('sends a hello, its catalogue once, and reports readings, usage and inventory', async () => {
  await start()
  await clock.advance(30_000)
  expect(server.catalogue?.metrics.map(({ name }) => name)).toEqual(['test.metric_0', 'test.metric_1', 'test.metric_2'])
  expect(server.frames).toHaveLength(4)
  expect(server.usages).toHaveLength(4)
  expect(server.inventories.map(({ inventory }) => inventory.host.hostname)).toEqual(['first'])
})

it.each([
  ['both ways', 'both'],
  ['from the control plane to the agent alone', 'down'],
  ['from the agent to the control plane alone', 'up'],
] as const)('notices within 60 s that nothing travels %s, and has dialed again', async (_, direction) => {
  await start()
  await clock.advance(2 * minute)
  proxy.set({ kind: 'black-hole', direction })
  const tookMs = await clock.advanceUntil(() => proxy.accepted === 2, 5 * minute)
  expect(tookMs).toBeLessThanOrEqual(minute)
  proxy.set({ kind: 'pass' })
  const frames = server.frames.length
  await clock.advanceUntil(() => server.frames.length > frames, minute)
})

it(`comes back every time when the wire is cut every five minutes, and loses no acknowledgement`, async () => {
  const cuts = isLong ? 288 : 48
  await start()
  for (let cut = 1; cut <= cuts; cut++) {
    agent.change(`node-${cut}`)
    // Half of the changes are under way when the wire breaks.
    await clock.advance(cut % 2 === 0 ? 5 * minute : 3000)
    proxy.reset()
    await clock.advanceUntil(() => server.hellos.length > cut, minute)
    if (cut % 2 === 1) await clock.advance(5 * minute)
  }
  await clock.advance(minute)
  expect(server.hellos).toHaveLength(cuts + 1)
  expect(server.acknowledged.at(-1)).toBe(server.inventories.at(-1)?.sequence)
  expect(server.inventories.at(-1)?.inventory.host.hostname).toBe(`node-${cuts}`)
  const hostnames = new Set(server.inventories.map(({ inventory }) => inventory.host.hostname))
  expect(hostnames.size).toBe(cuts + 1)
}, 600_000)

it('makes at most 30 attempts in 5 minutes while every hello is refused', async () => {
  server.script.refuseWith = { code: closeCodes.unauthenticated, reason: { message: 'Not you.' } }
  await start(() => 0.999)
  await clock.advance(5 * minute)
  expect(proxy.accepted).toBeLessThanOrEqual(30)
  expect(proxy.accepted).toBeGreaterThan(5)
  expect(agent.statuses[0]).toContain('Not you.')
})

it('waits as long as the control plane asks, and not much longer', async () => {
  await start()
  server.closeAll(closeCodes.serviceRestart, { message: 'Restarting.', retry_after_ms: 20_000 })
  const tookMs = await clock.advanceUntil(() => server.hellos.length === 2, minute)
  expect(tookMs).toBeGreaterThanOrEqual(20_000)
  expect(tookMs).toBeLessThanOrEqual(22_500)
})

it('keeps trying, slowly, while the control plane cannot speak with it', async () => {
  server.script.refuseWith = { code: closeCodes.needsUpgrade, reason: { message: 'needs control plane ≥ protocol 2' } }
  await start()
  await clock.advance(hour)
  expect(server.hellos.length).toBeGreaterThan(10)
  expect(server.hellos.length).toBeLessThan(26)
  server.script.refuseWith = null
  await clock.advanceUntil(() => server.frames.length > 0, 6 * minute)
})

it('ends when an operator removed the node, and says so', async () => {
  await start()
  server.closeAll(closeCodes.revoked, { message: 'An operator removed this node.' })
  expect(await agent.agent.ended).toEqual({ reason: 'revoked', message: 'An operator removed this node.' })
  await clock.advance(hour)
  expect(server.hellos).toHaveLength(1)
})

it('reports nothing while another machine has its identity', async () => {
  server.script.parked = 'another machine has this identity'
  await start()
  await clock.advance(5 * minute)
  expect([server.frames, server.inventories, server.usages]).toEqual([[], [], []])
  expect(agent.statuses[0]).toContain('another machine')
})

it('follows the pace that the control plane sets, and keeps it over a restart', async () => {
  server.script.settings = { report_interval_ms: 60_000 }
  await start()
  await clock.advance(5 * minute)
  expect(server.frames.length).toBeLessThanOrEqual(7)
  const stopped = agent.agent.stop()
  await clock.advance(3000)
  await stopped
  const frames = server.frames.length
  server.script.settings = {}
  agent = await startTestAgent({ dataDir: state.dataDir, clock })
  expect(await readFile(join(state.dataDir, 'pace.json'), 'utf8')).toContain('"reportIntervalMs":60000')
  await clock.advanceUntil(() => server.frames.length > frames, minute)
})

it('sends an inventory again until it is acknowledged, at a growing distance', async () => {
  server.script.answer = 'refuse'
  await start()
  await clock.advance(5 * minute)
  expect(server.inventories.length).toBeGreaterThan(4)
  expect(server.inventories.length).toBeLessThan(12)
  expect(new Set(server.inventories.map(({ sequence }) => sequence)).size).toBe(1)
  server.script.answer = 'ack'
  await clock.advanceUntil(() => server.acknowledged.length === 1, 61_000)
  const sent = server.inventories.length
  await clock.advance(10 * minute)
  expect(server.inventories).toHaveLength(sent)
})

it('sends the newest inventory first after an outage, with an increasing number', async () => {
  await start()
  server.script.answer = 'silence'
  agent.change('second')
  await clock.advance(5000)
  server.drop()
  agent.change('third')
  server.script.answer = 'ack'
  proxy.set({ kind: 'refuse' })
  await clock.advance(5000)
  proxy.set({ kind: 'pass' })
  await clock.advanceUntil(() => server.acknowledged.length === 2, minute)
  expect(server.inventories.map(({ inventory }) => inventory.host.hostname)).toEqual(['first', 'second', 'third'])
  const sequences = server.inventories.map(({ sequence }) => sequence)
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
})

it('sends its catalogue again when the set of metrics changes, and after every reconnect', async () => {
  await start()
  agent.setMetrics([{ name: 'other', unit: 'count', aggregation: 'mean' }])
  await clock.advance(10_000)
  expect(server.catalogue?.metrics.map(({ name }) => name)).toEqual(['other'])
  server.drop()
  await clock.advanceUntil(() => server.hellos.length === 2, minute)
  await clock.advance(10_000)
  expect(server.catalogue?.metrics.map(({ name }) => name)).toEqual(['other'])
})

it('keeps the connection when it is sent what it does not know', async () => {
  await start()
  server.sendAll({ type: 'desired_state', generation: 3 })
  server.sendAll({ type: 'desired_state', generation: 4 })
  await clock.advance(5 * minute)
  expect(server.hellos).toHaveLength(1)
  expect(agent.lines.filter(({ fields }) => fields.type === 'desired_state')).toHaveLength(1)
})

it('says by how many seconds its clock is off, and reports at the usual distance whatever the clock does', async () => {
  server.script.clock = () => clock.now() / 1000 - 600
  await start()
  expect(agent.lines.map(({ message }) => message).join()).toContain('600 s ahead')
  for (const jump of [-hour, 24 * hour, -10 * minute]) {
    clock.jump(jump)
    const frames = server.frames.length
    await clock.advance(minute)
    expect(server.frames.length - frames).toBe(6)
    expect(server.frames.at(-1)?.time).toBeGreaterThan(clock.now() / 1000 - 11)
    // Its heartbeats let the control plane measure the clock again.
    expect(Math.abs((server.clocks.at(-1) ?? 0) - clock.now() / 1000)).toBeLessThanOrEqual(18)
  }
  server.sendAll({ type: 'ping', id: 1 })
  await clock.advanceUntil(() => server.clocks.at(-1) === clock.now() / 1000, 1_000)
  expect(server.hellos).toHaveLength(1)
  const sequences = server.frames.map(({ sequence }) => sequence)
  expect(new Set(sequences).size).toBe(sequences.length)
})
