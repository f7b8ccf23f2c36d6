import { Writable } from 'node:stream'
import { closeCodes, type ServerMessage } from '@roost/api-types/agent'
import { createLog } from '@roost/control-plane/dist/lifecycle/log.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { isOver, useAgents } from '../stream/dial.js'
import { startStreamServer, type StreamServer } from '../stream/stream-server.js'

let server: StreamServer
const { connect, newNode, dialAs } = useAgents(() => server)
let slow: StreamServer | undefined
const slowAgents = useAgents(() => slow as StreamServer)
beforeAll(async () => {
  server = await startStreamServer({
    heavyMessageBurst: 2,
    heavyMessagesPerSecond: 1e-6,
    byteBurst: 400_000,
    bytesPerSecond: 10_000,
    refusedHellosPerMinute: 3,
  })
})
afterAll(() => Promise.all([server.close(), slow?.close()]))

const inventory = (sequence: number) => ({ type: 'inventory', sequence, inventory: simulatedInventory('n') })
const catalogue = { type: 'catalogue', id: 1, metrics: [{ name: 'a', unit: 'count', aggregation: 'sum' }] }

/** Resolves when the control plane has read everything that the agent sent so far. */
async function isRead(agent: SimulatedAgent): Promise<void> {
  const { pongs } = agent
  agent.send({ type: 'ping', id: 1 })
  await agent.until((one) => one.pongs > pongs)
}

describe('a node that sends too many inventories or catalogues', () => {
  it('has an inventory refused, to be repeated later, while others are served', async () => {
    const messages: ServerMessage[] = []
    const { agent } = await connect({ onMessage: (message) => messages.push(message) })
    for (const sequence of [1, 2, 3]) agent.send(inventory(sequence))
    await agent.until(() => messages.some(({ type }) => type === 'refused'))
    expect(messages.find(({ type }) => type === 'refused')).toMatchObject({
      sequence: 3,
      message: 'Too many messages of type inventory: at most one in 10 s is accepted on average.',
    })
    const other = await connect()
    other.agent.send(inventory(1))
    await other.agent.until(({ acknowledged }) => acknowledged === 1)
  })

  it('keeps its session, but is read later after a catalogue, and a new session does not help', async () => {
    const { agent, node } = await connect()
    for (let sent = 0; sent < 3; sent++) agent.send(catalogue)
    const { agent: other } = await connect()
    // The control plane reads what came before it stopped reading: the answer to a later ping shows the pause.
    for (let round = 0; round < 20; round++) await isRead(other)
    const { pongs } = agent
    agent.send({ type: 'ping', id: 2 })
    for (let round = 0; round < 50; round++) await isRead(other)
    expect([agent.pongs, agent.ended]).toEqual([pongs, undefined])

    const next = dialAs(node)
    await next.until(({ welcomed }) => welcomed === 1)
    next.send(catalogue)
    for (let round = 0; round < 20; round++) await isRead(other)
    next.send({ type: 'ping', id: 1 })
    for (let round = 0; round < 50; round++) await isRead(other)
    expect([next.pongs, next.ended]).toEqual([0, undefined])
  })
})

it('a node that sends too many bytes is read later, while others are read at once', async () => {
  let refused = 0
  const { agent } = await connect({ onMessage: ({ type }) => void (refused += Number(type === 'refused')) })
  const { agent: other } = await connect()
  const count = 200
  for (let sent = 0; sent < count; sent++) agent.send({ type: 'log', level: 'info', message: 'x'.repeat(100_000) })
  // Large messages are read on another thread: the answers of others do not wait for them.
  await expect.poll(() => refused).toBeGreaterThanOrEqual(4)
  for (let round = 0; round < 50; round++) await isRead(other)
  expect(refused).toBeLessThan(count / 4)
  expect(agent.ended).toBeUndefined()
})

it('what a node has sent in one packet waits, too, while it has used up its CPU time', async () => {
  slow = await startStreamServer({ cpuMsPerSecond: 1e-3, cpuMsBurst: 19 })
  const { agent } = await slowAgents.connect()
  const { agent: other } = await slowAgents.connect()
  for (const sequence of [1, 2, 3]) agent.send(inventory(sequence))
  await agent.until(({ acknowledged }) => acknowledged === 1)
  for (let round = 0; round < 20; round++) await isRead(other)
  expect([agent.acknowledged, agent.ended]).toEqual([1, undefined])
})

it('a node whose sessions break the rules twice is read later in its next session', async () => {
  const { agent: first, node } = await connect()
  const { agent: other } = await connect()
  const violate = async (agent: SimulatedAgent) => {
    agent.socket.send('no JSON')
    await agent.until(isOver)
    expect(agent.ended?.code).toBe(closeCodes.policyViolation)
    const next = dialAs(node)
    await next.until(({ welcomed }) => welcomed === 1)
    return next
  }
  const second = await violate(first)
  await isRead(second)
  const third = await violate(second)
  third.send({ type: 'ping', id: 1 })
  for (let round = 0; round < 50; round++) await isRead(other)
  expect([third.pongs, third.ended]).toEqual([0, undefined])
})

it('an address with too many refused hellos must wait', async () => {
  const [node, other] = [await newNode(), await newNode()]
  const forge = async () => {
    const forger = dialAs({ ...node, privateKey: other.privateKey })
    await forger.until(isOver)
    return forger.ended
  }
  const ends = [await forge(), await forge(), await forge()]
  expect(ends.map((end) => end?.code)).toEqual(Array(3).fill(closeCodes.unauthenticated))
  const last = await forge()
  expect(last).toMatchObject({ code: closeCodes.tryAgainLater, message: expect.stringContaining('refused') as string })
  expect(last?.retryAfterMs).toBeGreaterThan(0)
})

it('the lines about one node are limited, and those about others are not', () => {
  const lines: { readonly nodeId?: number; readonly address?: string }[] = []
  const out = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as { nodeId?: number })
      done()
    },
  })
  const log = createLog({ level: 'info', out })
  for (let i = 0; i < 1_000; i++) log.warn({ nodeId: 7 }, 'again')
  for (let i = 0; i < 1_000; i++) log.warn({ nodeId: undefined, address: '192.0.2.1' }, 'refused an agent')
  for (let i = 0; i < 100; i++) log.info({ job: i }, 'a deployment has ended')
  log.error({ nodeId: 8 }, 'once')
  const count = (test: (line: (typeof lines)[number]) => boolean) => lines.filter(test).length
  expect(count(({ nodeId }) => nodeId === 7)).toBe(60)
  expect(count(({ address }) => address !== undefined)).toBe(60)
  expect(count(({ nodeId }) => nodeId === 8)).toBe(1)
  expect(lines).toHaveLength(60 + 60 + 100 + 1)
})
