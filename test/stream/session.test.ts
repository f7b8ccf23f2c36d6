import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeCodes, decodeMetricFrame, protocolVersion } from '@roost/api-types/agent'
import type { ServerMessage } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { insertNodes } from '../support/agents/nodes.js'
import type { EnrolledNode } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { newIdentity } from '../support/agents/simulated-identity.js'
import type { SimulatedAgentOptions } from '../support/agents/simulated-agent.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { testCaller } from '../support/agents/enrollment.js'
import { startStreamServer } from './stream-server.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import type { StreamServer } from './stream-server.js'

let server: StreamServer
let nodes: readonly EnrolledNode[]
const agents: SimulatedAgent[] = []

beforeAll(async () => {
  server = await startStreamServer({ trustedCas: () => ['PEM'] })
  nodes = await insertNodes(server.database, server.clusterId, 14)
})
afterEach(() => {
  for (const agent of agents.splice(0)) agent.stop('terminate')
  delete server.hooks.beforeInventory
})
afterAll(() => server.close())

function agentOf(index: number, more: Partial<SimulatedAgentOptions> = {}): SimulatedAgent {
  const agent = new SimulatedAgent({ url: server.url, identity: nodeOf(index), ...more })
  agents.push(agent)
  agent.dial()
  return agent
}

function nodeOf(index: number): EnrolledNode {
  const node = nodes[index]
  if (!node) throw new Error(`There are only ${nodes.length} nodes.`)
  return node
}

const unavailable = new RoostError('unavailable', 'Not now.', { cause: new Error('secret path') })
const throwAtOnce = () => {
  throw new Error('secret path')
}

const welcomed = (agent: SimulatedAgent) => agent.welcomed > 0
const over = (agent: SimulatedAgent) => agent.ended !== undefined

describe('a session', () => {
  it('begins with challenge, welcome and settings, and shows the node online', async () => {
    const messages: ServerMessage[] = []
    const agent = agentOf(0, { onMessage: (message) => messages.push(message) })
    await agent.until(() => messages.length === 3)
    expect(messages).toMatchObject([
      { type: 'challenge', protocol: protocolVersion, oldest_protocol: 1 },
      { type: 'welcome', node_id: nodeOf(0).id, parked: null },
      { type: 'settings', heartbeat_interval_ms: 15_000, report_interval_ms: 10_000, ca: ['PEM'] },
    ])
    await vi.waitFor(async () => expect(await server.stateOf(nodeOf(0).id)).toBe('online'), waitTimeoutMs)
  })

  it('answers a ping with a pong of the same id', async () => {
    const messages: ServerMessage[] = []
    const agent = agentOf(1, { onMessage: (message) => messages.push(message) })
    await agent.until(welcomed)
    agent.send({ type: 'ping', id: 77 })
    await agent.until(() => messages.at(-1)?.type === 'pong')
    expect(messages.at(-1)).toEqual({ type: 'pong', id: 77 })
  })

  it('acknowledges an inventory only when its handler has stored it', async () => {
    const agent = agentOf(2)
    await agent.until(welcomed)
    const disk = new EventEmitter()
    const begun = once(disk, 'begun')
    server.hooks.beforeInventory = async () => {
      const written = once(disk, 'written')
      disk.emit('begun')
      await written
    }
    agent.send({ type: 'inventory', sequence: 5, inventory: simulatedInventory('n') })
    await begun
    await sleep(100)
    expect(agent.acknowledged).toBe(0)
    disk.emit('written')
    await agent.until(() => agent.acknowledged === 5)
  })

  it('ends with 1011 where a handler fails, without its reason, and no other session does', async () => {
    const [agent, neighbour] = [agentOf(12), agentOf(13)]
    await Promise.all([agent.until(welcomed), neighbour.until(welcomed)])
    for (const fail of [() => Promise.reject(new Error('secret path')), throwAtOnce]) {
      server.hooks.beforeInventory = fail
      agent.send({ type: 'inventory', sequence: 6, inventory: simulatedInventory('n') })
      await agent.until(over)
      expect(agent.ended).toMatchObject({ code: closeCodes.internalError })
      expect(agent.ended?.message).not.toContain('secret')
      const sessions = agent.welcomed
      agent.dial()
      await agent.until(() => agent.welcomed > sessions)
    }
    expect(neighbour.ended).toBeUndefined()
  })

  it('answers `refused` with the number of what could not be stored, and goes on', async () => {
    const messages: ServerMessage[] = []
    const agent = agentOf(2, { onMessage: (message) => messages.push(message) })
    await agent.until(welcomed)
    server.hooks.beforeInventory = () => Promise.reject(unavailable)
    agent.send({ type: 'inventory', sequence: 6, inventory: simulatedInventory('n') })
    await agent.until(() => messages.some((message) => message.type === 'refused'))
    delete server.hooks.beforeInventory
    const refused = messages.find((message) => message.type === 'refused')
    expect(refused).toMatchObject({ of: 'inventory', sequence: 6 })
    expect(JSON.stringify(refused)).not.toContain('secret')
    agent.send({ type: 'inventory', sequence: 6, inventory: simulatedInventory('n') })
    await agent.until(() => agent.acknowledged === 6)
  })

  it('hands frames on under the node whose key signed the hello', async () => {
    const agent = agentOf(3)
    await agent.until(welcomed)
    agent.sendFrame(new Float64Array([1, Number.NaN, 3]))
    await vi.waitFor(() => expect(server.heard.frames.at(-1)?.nodeId).toBe(nodeOf(3).id), waitTimeoutMs)
    const { values } = decodeMetricFrame(server.heard.frames.at(-1)?.bytes ?? new Uint8Array())
    expect([...values]).toEqual([1, Number.NaN, 3])
  })

  it('answers `unsupported` to a type that it does not know, and ignores fields that it does not know', async () => {
    const messages: ServerMessage[] = []
    const agent = agentOf(4, { onMessage: (message) => messages.push(message) })
    await agent.until(welcomed)
    agent.send({ type: 'teleport', where: 'there' })
    await agent.until(() => messages.some((message) => message.type === 'unsupported' && message.of === 'teleport'))
    agent.send({ type: 'log', level: 'info', message: 'hello', colour: 'green' })
    await vi.waitFor(
      () => expect(server.heard.logs.at(-1)?.message).toEqual({ type: 'log', level: 'info', message: 'hello' }),
      waitTimeoutMs,
    )
    expect(agent.isConnected).toBe(true)
  })

  it('never answers `unsupported` or `refused`, or two strangers would talk for ever', async () => {
    const messages: ServerMessage[] = []
    const agent = agentOf(4, { onMessage: (message) => messages.push(message) })
    await agent.until(() => messages.some((message) => message.type === 'settings'))
    agent.send({ type: 'unsupported', of: 'settings' })
    agent.send({ type: 'refused', of: 'settings', message: 'no' })
    agent.send({ type: 'ping', id: 9 })
    await agent.until(() => messages.some((message) => message.type === 'pong'))
    expect(messages.map((message) => message.type)).toEqual(['challenge', 'welcome', 'settings', 'pong'])
  })

  it('of the same machine replaces its own old one, without a moment offline', async () => {
    const first = agentOf(5)
    await first.until(welcomed)
    const second = agentOf(5)
    await second.until(welcomed)
    await first.until(over)
    expect(first.ended?.code).toBe(closeCodes.replaced)
    expect(second.parkedBecause).toBeNull()
    const { connections } = server.heard
    expect(connections.filter(({ nodeId }) => nodeId === nodeOf(5).id).map(({ is }) => is)).toEqual([
      'connected',
      'connected',
    ])
  })

  it('is closed with 1008 when it sends more than its share', async () => {
    const agent = agentOf(6)
    await agent.until(welcomed)
    for (let i = 0; i < 2_000; i++) agent.send({ type: 'pong', id: i })
    await agent.until(over)
    expect(agent.ended?.code).toBe(closeCodes.policyViolation)
  })
})

describe('a hello', () => {
  it('must come in time', async () => {
    const strict = await startStreamServer({ helloTimeoutMs: 3_000 })
    onTestFinished(() => strict.close())
    const silent = new SimulatedAgent({ url: strict.url, identity: nodeOf(7), hello: {} })
    agents.push(silent)
    silent.dial()
    silent.send = () => {}
    await silent.until(over)
    expect(silent.ended?.code).toBe(closeCodes.helloTimeout)
  })

  it('of a stranger, with a wrong signature, or for another node learns nothing but 4001', async () => {
    const node = nodeOf(8)
    const stranger = agentOf(8, { identity: newIdentity() })
    const forger = agentOf(8, { identity: { uuid: node.uuid, privateKey: newIdentity().privateKey } })
    const neighbour = agentOf(8, { identity: { uuid: node.uuid, privateKey: nodeOf(9).privateKey } })
    const malformed = agentOf(8, { hello: { node_uuid: "' or 1=1" } })
    for (const agent of [stranger, forger, neighbour, malformed]) await agent.until(over)
    const ends = [stranger, forger, neighbour, malformed].map(({ ended }) => ended)
    expect(new Set(ends.map((end) => JSON.stringify(end))).size).toBe(1)
    expect(ends[0]?.code).toBe(closeCodes.unauthenticated)
    await vi.waitFor(async () => {
      const events = await server.database.prisma.auditEvent.findMany({ where: { resourceId: node.id } })
      expect(events).toMatchObject([{ action: 'refuse', operator: 'agent', address: '127.0.0.1' }])
    }, waitTimeoutMs)
  })

  it('cannot be replayed: each nonce is good for one connection', async () => {
    const said: string[] = []
    const first = agentOf(10)
    const send = first.send.bind(first)
    first.send = (message) => {
      said.push(JSON.stringify(message))
      send(message)
    }
    await first.until(welcomed)
    const replay = agentOf(10)
    replay.send = () => replay.socket.send(said[0] ?? '')
    await replay.until(over)
    expect(replay.ended?.code).toBe(closeCodes.unauthenticated)
    expect(first.isConnected).toBe(true)
  })
})

describe('revocation', () => {
  it('closes the live session at once with 4005, and every later hello of that key', async () => {
    const node = nodeOf(11)
    const agent = agentOf(11)
    await agent.until(welcomed)
    await server.nodes.remove(node.id, testCaller, { force: true })
    await agent.until(over)
    expect(agent.ended?.code).toBe(closeCodes.revoked)
    const again = agentOf(11)
    await again.until(over)
    expect(again.ended?.code).toBe(closeCodes.revoked)
    const events = await server.database.prisma.auditEvent.findMany({ where: { resourceId: node.id } })
    expect(events).toMatchObject([{ action: 'remove', operator: 'local' }])
  })

  it('is refused for an online node unless it is forced', async () => {
    const node = nodeOf(0)
    const agent = agentOf(0)
    await agent.until(welcomed)
    await expect(server.nodes.remove(node.id, testCaller, { force: false })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(agent.isConnected).toBe(true)
  })
})
