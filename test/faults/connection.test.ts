import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { closeCodes } from '@roost/api-types/agent'
import { expect, it } from 'vitest'
import { useAgentLab } from '../support/agents/agent-lab.js'

const minute = 60_000
const hour = 60 * minute
const isLong = process.env.ROOST_TEST_LONG === '1'

const lab = useAgentLab()

it('sends a hello, its catalogue once, and reports readings, usage and inventory', async () => {
  await lab.connect()
  await lab.clock.advance(30_000)
  expect(lab.server.catalogue?.metrics.map(({ name }) => name)).toEqual([
    'test.metric_0',
    'test.metric_1',
    'test.metric_2',
  ])
  expect(lab.server.frames).toHaveLength(4)
  expect(lab.server.usages).toHaveLength(4)
  expect(lab.server.inventories.map(({ inventory }) => inventory.host.hostname)).toEqual(['first'])
})

it.each([
  ['both ways', 'both'],
  ['from the control plane to the agent alone', 'down'],
  ['from the agent to the control plane alone', 'up'],
] as const)('notices within 60 s that nothing travels %s, and has dialed again', async (_, direction) => {
  await lab.connect()
  await lab.clock.advance(2 * minute)
  lab.proxy.set({ kind: 'black-hole', direction })
  const tookMs = await lab.clock.advanceUntil(() => lab.proxy.accepted === 2, 5 * minute)
  expect(tookMs).toBeLessThanOrEqual(minute)
  lab.proxy.set({ kind: 'pass' })
  const frames = lab.server.frames.length
  await lab.clock.advanceUntil(() => lab.server.frames.length > frames, minute)
})

it(`comes back every time when the wire is cut every five minutes, and loses no acknowledgement`, async () => {
  const cuts = isLong ? 288 : 48
  await lab.connect()
  for (let cut = 1; cut <= cuts; cut++) {
    lab.agent.change(`node-${cut}`)
    // Half of the changes are under way when the wire breaks.
    await lab.clock.advance(cut % 2 === 0 ? 5 * minute : 3000)
    lab.proxy.reset()
    await lab.clock.advanceUntil(() => lab.server.hellos.length > cut, minute)
    if (cut % 2 === 1) await lab.clock.advance(5 * minute)
  }
  await lab.clock.advance(minute)
  expect(lab.server.hellos).toHaveLength(cuts + 1)
  expect(lab.server.acknowledged.at(-1)).toBe(lab.server.inventories.at(-1)?.sequence)
  expect(lab.server.inventories.at(-1)?.inventory.host.hostname).toBe(`node-${cuts}`)
  const hostnames = new Set(lab.server.inventories.map(({ inventory }) => inventory.host.hostname))
  expect(hostnames.size).toBe(cuts + 1)
}, 600_000)

it('makes at most 30 attempts in 5 minutes while every hello is refused', async () => {
  lab.server.script.refuseWith = { code: closeCodes.unauthenticated, reason: { message: 'Not you.' } }
  await lab.connect({ random: () => 0.999 })
  await lab.clock.advance(5 * minute)
  expect(lab.proxy.accepted).toBeLessThanOrEqual(30)
  expect(lab.proxy.accepted).toBeGreaterThan(5)
  expect(lab.agent.statuses[0]).toContain('Not you.')
})

it('waits as long as the control plane asks, and not much longer', async () => {
  await lab.connect()
  lab.server.closeAll(closeCodes.serviceRestart, { message: 'Restarting.', retry_after_ms: 20_000 })
  const tookMs = await lab.clock.advanceUntil(() => lab.server.hellos.length === 2, minute)
  expect(tookMs).toBeGreaterThanOrEqual(20_000)
  expect(tookMs).toBeLessThanOrEqual(22_500)
})

it('keeps trying, slowly, while the control plane cannot speak with it', async () => {
  lab.server.script.refuseWith = {
    code: closeCodes.needsUpgrade,
    reason: { message: 'needs control plane ≥ protocol 2' },
  }
  await lab.connect()
  await lab.clock.advance(hour)
  expect(lab.server.hellos.length).toBeGreaterThan(10)
  expect(lab.server.hellos.length).toBeLessThan(26)
  lab.server.script.refuseWith = null
  await lab.clock.advanceUntil(() => lab.server.frames.length > 0, 6 * minute)
})

it('ends when an operator removed the node, and says so', async () => {
  await lab.connect()
  lab.server.closeAll(closeCodes.revoked, { message: 'An operator removed this node.' })
  expect(await lab.agent.agent.ended).toEqual({ reason: 'revoked', message: 'An operator removed this node.' })
  await lab.clock.advance(hour)
  expect(lab.server.hellos).toHaveLength(1)
})

it('reports nothing while another machine has its identity', async () => {
  lab.server.script.parked = 'another machine has this identity'
  await lab.connect()
  await lab.clock.advance(5 * minute)
  expect([lab.server.frames, lab.server.inventories, lab.server.usages]).toEqual([[], [], []])
  expect(lab.agent.statuses[0]).toContain('another machine')
})

it('follows the pace that the control plane sets, and keeps it over a restart', async () => {
  lab.server.script.settings = { report_interval_ms: 60_000 }
  await lab.connect()
  await lab.clock.advance(5 * minute)
  expect(lab.server.frames.length).toBeLessThanOrEqual(7)
  const stopped = lab.agent.agent.stop()
  await lab.clock.advance(3000)
  await stopped
  const frames = lab.server.frames.length
  lab.server.script.settings = {}
  await lab.start()
  expect(await readFile(join(lab.state.dataDir, 'pace.json'), 'utf8')).toContain('"reportIntervalMs":60000')
  await lab.clock.advanceUntil(() => lab.server.frames.length > frames, minute)
})

it('sends an inventory again until it is acknowledged, at a growing distance', async () => {
  lab.server.script.answer = 'refuse'
  await lab.connect()
  await lab.clock.advance(5 * minute)
  expect(lab.server.inventories.length).toBeGreaterThan(4)
  expect(lab.server.inventories.length).toBeLessThan(12)
  expect(new Set(lab.server.inventories.map(({ sequence }) => sequence)).size).toBe(1)
  lab.server.script.answer = 'ack'
  await lab.clock.advanceUntil(() => lab.server.acknowledged.length === 1, 61_000)
  const sent = lab.server.inventories.length
  await lab.clock.advance(10 * minute)
  expect(lab.server.inventories).toHaveLength(sent)
})

it('sends the newest inventory first after an outage, with an increasing number', async () => {
  await lab.connect()
  lab.server.script.answer = 'silence'
  lab.agent.change('second')
  await lab.clock.advance(5000)
  lab.server.drop()
  lab.agent.change('third')
  lab.server.script.answer = 'ack'
  lab.proxy.set({ kind: 'refuse' })
  await lab.clock.advance(5000)
  lab.proxy.set({ kind: 'pass' })
  await lab.clock.advanceUntil(() => lab.server.acknowledged.length === 2, minute)
  expect(lab.server.inventories.map(({ inventory }) => inventory.host.hostname)).toEqual(['first', 'second', 'third'])
  const sequences = lab.server.inventories.map(({ sequence }) => sequence)
  expect(sequences).toEqual(sequences.toSorted((a, b) => a - b))
})

it('sends its catalogue again when the set of metrics changes, and after every reconnect', async () => {
  await lab.connect()
  lab.agent.setMetrics([{ name: 'other', unit: 'count', aggregation: 'mean' }])
  await lab.clock.advance(10_000)
  expect(lab.server.catalogue?.metrics.map(({ name }) => name)).toEqual(['other'])
  lab.server.drop()
  await lab.clock.advanceUntil(() => lab.server.hellos.length === 2, minute)
  await lab.clock.advance(10_000)
  expect(lab.server.catalogue?.metrics.map(({ name }) => name)).toEqual(['other'])
})

it('keeps the connection when it is sent what it does not know', async () => {
  await lab.connect()
  lab.server.sendAll({ type: 'desired_state', generation: 3 })
  lab.server.sendAll({ type: 'desired_state', generation: 4 })
  await lab.clock.advance(5 * minute)
  expect(lab.server.hellos).toHaveLength(1)
  expect(lab.agent.lines.filter(({ fields }) => fields.type === 'desired_state')).toHaveLength(1)
})

it('says by how many seconds its clock is off, and reports at the usual distance whatever the clock does', async () => {
  lab.server.script.clock = () => lab.clock.now() / 1000 - 600
  await lab.connect()
  expect(lab.agent.lines.map(({ message }) => message).join()).toContain('600 s ahead')
  for (const jump of [-hour, 24 * hour, -10 * minute]) {
    lab.clock.jump(jump)
    const frames = lab.server.frames.length
    await lab.clock.advance(minute)
    expect(lab.server.frames.length - frames).toBe(6)
    expect(lab.server.frames.at(-1)?.time).toBeGreaterThan(lab.clock.now() / 1000 - 11)
    // Its heartbeats let the control plane measure the clock again.
    expect(Math.abs((lab.server.clocks.at(-1) ?? 0) - lab.clock.now() / 1000)).toBeLessThanOrEqual(18)
  }
  lab.server.sendAll({ type: 'ping', id: 1 })
  await lab.clock.advanceUntil(() => lab.server.clocks.at(-1) === lab.clock.now() / 1000, 1_000)
  expect(lab.server.hellos).toHaveLength(1)
  const sequences = lab.server.frames.map(({ sequence }) => sequence)
  expect(new Set(sequences).size).toBe(sequences.length)
})
