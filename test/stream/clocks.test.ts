import { decodeMetricFrame } from '@roost/api-types/agent'
import { systemClock } from '@roost/runtime'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { useAgents } from './dial.js'
import type { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer } from './stream-server.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'

let server: StreamServer
/** Both clocks move only when a test moves them: what is measured by them does not depend on how long anything takes. */
let nowMs = 0
let monotonicMs = 0
const clock = { ...systemClock, now: () => nowMs, monotonic: () => monotonicMs }
const { connect } = useAgents(() => server)

beforeAll(async () => {
  server = await startStreamServer({ clock })
})
beforeEach(() => {
  nowMs = Date.now()
})
afterAll(() => server.close())

const ourNow = () => nowMs / 1000
/** An agent whose clock is so many seconds ahead of ours. */
const connectAhead = (seconds: number) => connect({ hello: { clock: ourNow() + seconds } })

/** The time of the last frame that came through, on our clock. */
async function timeOfNextFrame(count: number): Promise<number> {
  await vi.waitFor(() => expect(server.heard.frames).toHaveLength(count), waitTimeoutMs)
  return decodeMetricFrame(server.heard.frames.at(-1)?.bytes ?? new Uint8Array()).time
}

describe('the time of a reading', () => {
  it.each([
    ['10 minutes ahead', 600],
    ['10 minutes behind', -600],
    ['a day ahead', 86_400],
    ['a day behind', -86_400],
  ])('of an agent whose clock is %s is moved to ours', async (_name, ahead) => {
    const { agent, node } = await connectAhead(ahead)
    const before = server.heard.frames.length
    agent.sendFrame(new Float64Array([1]), ourNow() + ahead)
    const time = await timeOfNextFrame(before + 1)
    expect(time).toBeCloseTo(ourNow(), 3)
    expect(time).toBeLessThanOrEqual(ourNow())
    agent.send({ type: 'device_usage', time: ourNow() + ahead, devices: [] })
    await vi.waitFor(() => expect(server.heard.usages.at(-1)?.nodeId).toBe(node.id), waitTimeoutMs)
    expect(server.heard.usages.at(-1)?.message.time).toBeCloseTo(ourNow(), 3)
  })

  it('of an agent whose clock jumps ahead during the session is never in our future', async () => {
    const { agent } = await connectAhead(0)
    const before = server.heard.frames.length
    agent.sendFrame(new Float64Array([1]), ourNow() + 3_600)
    expect(await timeOfNextFrame(before + 1)).toBeLessThanOrEqual(ourNow())
  })

  it('that was kept while there was no connection stays in the past', async () => {
    const { agent } = await connectAhead(-600)
    const before = server.heard.frames.length
    agent.sendFrame(new Float64Array([1]), ourNow() - 600 - 120)
    expect(await timeOfNextFrame(before + 1)).toBeCloseTo(ourNow() - 120, 3)
  })

  it('is left alone where the clocks agree within a few seconds', async () => {
    const { agent } = await connectAhead(-2)
    const before = server.heard.frames.length
    const read = ourNow() - 2
    agent.sendFrame(new Float64Array([1]), read)
    expect(await timeOfNextFrame(before + 1)).toBe(read)
  })
})

/** Lets time pass on both clocks. */
function pass(seconds: number): void {
  nowMs += seconds * 1_000
  monotonicMs += seconds * 1_000
}

/** Sends a reading of so many seconds ago, by the agent's clock, and returns the age that it has here. */
async function ageOfReading(agent: SimulatedAgent, agentTime: number): Promise<number> {
  const before = server.heard.frames.length
  agent.sendFrame(new Float64Array([1]), agentTime)
  return ourNow() - (await timeOfNextFrame(before + 1))
}

/** Sends a heartbeat with the agent's clock. */
async function sendHeartbeat(agent: SimulatedAgent, agentTime: number): Promise<void> {
  const { pongs } = agent
  agent.send({ type: 'ping', id: 1, clock: agentTime })
  await agent.until((one) => one.pongs > pongs)
}

describe.each([
  ['ahead', 3_600],
  ['behind', -3_600],
])('while an agent is connected, its readings keep their age', (direction, jump) => {
  it(`when the control plane's clock is set an hour ${direction}`, async () => {
    const { agent } = await connectAhead(0)
    const agentNow = ourNow()
    nowMs += jump * 1_000
    expect(await ageOfReading(agent, agentNow - 120)).toBeCloseTo(120, 3)
    pass(10)
    expect(await ageOfReading(agent, agentNow + 9)).toBeCloseTo(1, 3)
  })

  it(`after its heartbeat when its own clock is set an hour ${direction}`, async () => {
    const { agent } = await connectAhead(0)
    await sendHeartbeat(agent, ourNow() + jump)
    expect(await ageOfReading(agent, ourNow() + jump - 120)).toBeCloseTo(120, 3)
  })

  it(`after its heartbeat when the clocks of both are set an hour ${direction}`, async () => {
    const { agent } = await connectAhead(0)
    nowMs += jump * 1_000
    await sendHeartbeat(agent, ourNow())
    expect(await ageOfReading(agent, ourNow() - 120)).toBeCloseTo(120, 3)
  })
})

it('a heartbeat with a clock out of bounds is answered, and measures nothing', async () => {
  const { agent } = await connectAhead(0)
  for (const clockOfAgent of [-1, 1e300, 'x', null]) await sendHeartbeat(agent, clockOfAgent as number)
  expect(await ageOfReading(agent, ourNow() - 120)).toBeCloseTo(120, 3)
})

describe('presence', () => {
  it('goes by the monotonic clock: no node is lost because the control plane’s clock jumps an hour', async () => {
    const { agent, node } = await connect()
    await vi.waitFor(async () => expect(await server.stateOf(node.id)).toBe('online'), waitTimeoutMs)
    nowMs += 3_600_000
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await server.stateOf(node.id)).toBe('online')
    nowMs -= 7_200_000
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await server.stateOf(node.id)).toBe('online')
    expect(agent.ended).toBeUndefined()
  })
})
