import { decodeMetricFrame } from '@roost/api-types/agent'
import { systemClock } from '@roost/control-plane/dist/clock.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { useAgents } from './dial.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer } from './stream-server.js'
import { patience } from '../support/patience.js'

let server: StreamServer
let aheadMs = 0
const clock = { now: () => Date.now() + aheadMs, monotonic: () => systemClock.monotonic() }
const { connect } = useAgents(() => server)

beforeAll(async () => {
  server = await startStreamServer({ clock })
})
beforeEach(() => {
  aheadMs = 0
})
afterAll(() => server.close())

/** In seconds: what a slow machine may take to look at a time that is now. */
const slack = 20
const ourNow = () => clock.now() / 1000

/** The time of the last frame that came through, on our clock. */
async function timeOfNextFrame(count: number): Promise<number> {
  await vi.waitFor(() => expect(server.heard.frames).toHaveLength(count), patience)
  return decodeMetricFrame(server.heard.frames.at(-1)?.bytes ?? new Uint8Array()).time
}

describe('the time of a reading', () => {
  it.each([
    ['10 minutes ahead', 600],
    ['10 minutes behind', -600],
    ['a day ahead', 86_400],
    ['a day behind', -86_400],
  ])('of an agent whose clock is %s is moved to ours', async (_name, clockAheadSeconds) => {
    const { agent, node } = await connect({ clockAheadSeconds })
    const before = server.heard.frames.length
    agent.sendFrame(new Float64Array([1]))
    const time = await timeOfNextFrame(before + 1)
    expect(Math.abs(time - ourNow())).toBeLessThan(slack)
    expect(time).toBeLessThanOrEqual(ourNow())
    agent.send({ type: 'device_usage', time: Date.now() / 1000 + clockAheadSeconds, devices: [] })
    await vi.waitFor(() => expect(server.heard.usages.at(-1)?.nodeId).toBe(node.id), patience)
    expect(Math.abs((server.heard.usages.at(-1)?.message.time ?? 0) - ourNow())).toBeLessThan(slack)
  })

  it('of an agent whose clock jumps ahead during the session is never in our future', async () => {
    const { agent } = await connect()
    const before = server.heard.frames.length
    agent.sendFrame(new Float64Array([1]), Date.now() / 1000 + 3_600)
    expect(await timeOfNextFrame(before + 1)).toBeLessThanOrEqual(ourNow())
  })

  it('that was kept while there was no connection stays in the past', async () => {
    const { agent } = await connect({ clockAheadSeconds: -600 })
    const before = server.heard.frames.length
    agent.sendFrame(new Float64Array([1]), Date.now() / 1000 - 600 - 120)
    expect(Math.abs((await timeOfNextFrame(before + 1)) - (ourNow() - 120))).toBeLessThan(slack)
  })

  it('is left alone where the clocks agree within a few seconds', async () => {
    const { agent } = await connect({ clockAheadSeconds: -2 })
    const before = server.heard.frames.length
    const read = Date.now() / 1000 - 2
    agent.sendFrame(new Float64Array([1]), read)
    expect(await timeOfNextFrame(before + 1)).toBe(read)
  })
})

describe('presence', () => {
  it('goes by the monotonic clock: no node is lost because the control plane’s clock jumps an hour', async () => {
    const { agent, node } = await connect()
    await vi.waitFor(async () => expect(await server.stateOf(node.id)).toBe('online'), patience)
    aheadMs = 3_600_000
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await server.stateOf(node.id)).toBe('online')
    aheadMs = -3_600_000
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await server.stateOf(node.id)).toBe('online')
    expect(agent.ended).toBeUndefined()
  })
})
