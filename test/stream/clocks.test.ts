import { decodeMetricFrame } from '@roost/api-types/agent'
import { systemClock } from '@roost/runtime'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { useAgents } from './dial.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer } from './stream-server.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'

let server: StreamServer
/** Stands still: what is measured by it does not depend on how long anything takes. */
let nowMs = 0
const clock = { ...systemClock, now: () => nowMs }
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
