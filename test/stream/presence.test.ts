import { closeCodes } from '@roost/api-types/agent'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createTestDatabase } from '../support/database.js'
import type { TestDatabase } from '../support/database.js'
import { insertNodes } from '../support/nodes.js'
import type { EnrolledNode } from '../support/nodes.js'
import { SimulatedAgent } from '../support/simulated-agent.js'
import type { SimulatedAgentOptions } from '../support/simulated-agent.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer, StreamServerOptions } from './stream-server.js'

/** Everything scales with the heartbeat: a sixtieth of the usual one makes seconds of minutes. */
const heartbeatMs = 250

let database: TestDatabase
let server: StreamServer
const agents: SimulatedAgent[] = []

beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  for (const agent of agents.splice(0)) agent.stop('terminate')
  await server.close()
})
afterAll(() => database.drop())

async function start(options: StreamServerOptions = {}): Promise<void> {
  server = await startStreamServer({ database, heartbeatMs, probeMs: 300, ...options })
}

async function newNode(): Promise<EnrolledNode> {
  const [node] = await insertNodes(database, server.clusterId, 1)
  if (!node) throw new Error('No node was inserted.')
  return node
}

function dial(identity: EnrolledNode, more: Partial<SimulatedAgentOptions> = {}): SimulatedAgent {
  const agent = new SimulatedAgent({ url: server.url, identity, ...more })
  agents.push(agent)
  agent.dial()
  return agent
}

const welcomed = (agent: SimulatedAgent) => agent.welcomed > 0
const over = (agent: SimulatedAgent) => agent.ended !== undefined

const becomes = (node: EnrolledNode, state: string) =>
  vi.waitFor(async () => expect(await server.stateOf(node.id)).toBe(state), { timeout: 6_000, interval: 20 })

describe('a node', () => {
  it('that falls silent is stale after three heartbeats and offline after six, when its connection is ended', async () => {
    await start()
    const node = await newNode()
    const agent = dial(node, { silent: true })
    await agent.until(welcomed)
    const spoke = performance.now()
    await becomes(node, 'online')
    await becomes(node, 'stale')
    const staleAfter = (performance.now() - spoke) / heartbeatMs
    await becomes(node, 'offline')
    const offlineAfter = (performance.now() - spoke) / heartbeatMs
    expect(staleAfter).toBeGreaterThan(2.9)
    expect(staleAfter).toBeLessThan(6)
    expect(offlineAfter).toBeGreaterThan(5.9)
    await agent.until(over)
  })

  it('that beats stays online', async () => {
    await start()
    const node = await newNode()
    const agent = dial(node)
    await agent.until(welcomed)
    await becomes(node, 'online')
    await new Promise((resolve) => setTimeout(resolve, heartbeatMs * 8))
    expect(await server.stateOf(node.id)).toBe('online')
    expect(agent.ended).toBeUndefined()
  })

  it('that was online before a restart of the control plane stays so until it has had its chance to come back', async () => {
    await start()
    const node = await newNode()
    const agent = dial(node)
    await agent.until(welcomed)
    await becomes(node, 'online')
    agent.stop('terminate')
    await server.close()
    await start()
    expect(await server.stateOf(node.id)).toBe('online')
    await becomes(node, 'offline')
  })

  it('is sent away by a stopping control plane with 1012 and a moment to come back', async () => {
    await start()
    const agent = dial(await newNode())
    await agent.until(welcomed)
    await server.stream.close()
    await agent.until(over)
    expect(agent.ended).toMatchObject({ code: closeCodes.serviceRestart })
    expect(agent.ended?.retryAfterMs).toBeGreaterThanOrEqual(500)
  })
})

describe('a second machine with the identity of a connected node', () => {
  it('is parked while the first stays, and the node shows duplicate until it goes', async () => {
    await start()
    const node = await newNode()
    const first = dial(node)
    await first.until(welcomed)
    const clone = dial(node, { hello: { machine_id: 'clone', boot_id: 'b2' } })
    await clone.until(welcomed)
    expect(clone.parkedBecause).toContain(first.machineId)
    await becomes(node, 'duplicate')
    expect(first.ended).toBeUndefined()
    const events = await database.prisma.auditEvent.findMany({ where: { resourceId: node.id } })
    expect(events).toMatchObject([
      {
        action: 'duplicate',
        changes: { machine_id: [null, 'clone'], boot_id: [null, 'b2'], address: [null, '127.0.0.1'] },
      },
    ])
    clone.stop()
    await becomes(node, 'online')
  })

  it('has nothing that it sends taken', async () => {
    await start()
    const node = await newNode()
    const first = dial(node)
    await first.until(welcomed)
    const refused: unknown[] = []
    const clone = dial(node, {
      hello: { machine_id: 'clone' },
      onMessage: (message) => message.type === 'refused' && refused.push(message),
    })
    await clone.until(welcomed)
    clone.sendFrame(new Float64Array(3))
    clone.send({ type: 'log', level: 'info', message: 'from the clone' })
    await clone.until(() => refused.length === 1)
    expect(server.heard.logs).toEqual([])
    expect(server.heard.frames).toEqual([])
  })

  it('that shares the machine-id, as a cloned image does, is told apart by its boot-id', async () => {
    await start()
    const node = await newNode()
    const first = dial(node)
    await first.until(welcomed)
    const clone = dial(node, { hello: { boot_id: 'another boot' } })
    await clone.until(welcomed)
    expect(clone.parkedBecause).toContain(first.bootId)
  })

  it('is the same machine after a power cut: its old session answers nothing, and makes place', async () => {
    await start()
    const node = await newNode()
    const dead = dial(node, { silent: true })
    await dead.until(welcomed)
    const rebooted = dial(node, { hello: { boot_id: 'after the power cut' } })
    await rebooted.until(welcomed)
    expect(rebooted.parkedBecause).toBeNull()
    await dead.until(over)
  })

  it('does not slip in while the first is dialling again, also over a restart of the control plane', async () => {
    await start()
    const node = await newNode()
    const first = dial(node)
    await first.until(welcomed)
    await becomes(node, 'online')
    first.stop('terminate')
    await server.close()
    await start()
    const clone = dial(node, { hello: { machine_id: 'clone' } })
    await clone.until(welcomed)
    expect(clone.parkedBecause).toContain(first.machineId)
    const again = dial(node)
    await again.until(welcomed)
    expect(again.parkedBecause).toBeNull()
  })

  it('is called back when the first has been offline: a moved identity needs no operator', async () => {
    await start()
    const node = await newNode()
    const first = dial(node)
    await first.until(welcomed)
    const heir = dial(node, { hello: { machine_id: 'heir' }, reconnect: true })
    await heir.until(({ parkedBecause }) => parkedBecause !== null)
    first.stop()
    await heir.until(({ welcomed }) => welcomed === 2)
    expect(heir.parkedBecause).toBeNull()
    await becomes(node, 'online')
  })
})

describe('the pace', () => {
  it('is told anew when the fleet outgrows it', async () => {
    await start({ heartbeatMs: 600 })
    const first = dial(await newNode())
    await first.until(welcomed)
    expect(first.heartbeatMs).toBe(600)
    const others = await insertNodes(database, server.clusterId, 400)
    const id = { in: others.map((node) => node.id) }
    await database.prisma.node.updateMany({ where: { id }, data: { state: 'online' } })
    await server.close()
    await start({ heartbeatMs: 600 })
    const later = dial(await newNode())
    await later.until(welcomed)
    expect(later.heartbeatMs).toBeGreaterThan(400 / 0.2)
  })
})

describe('new authorities', () => {
  it('reach every session as soon as they are trusted', async () => {
    const cas = ['OLD']
    await start({ trustedCas: () => cas })
    const told: (readonly string[])[] = []
    const agent = dial(await newNode(), {
      onMessage: (message) => message.type === 'settings' && told.push(message.ca),
    })
    await agent.until(() => told.length === 1)
    await new Promise((resolve) => setTimeout(resolve, heartbeatMs))
    cas.push('NEW')
    await agent.until(() => told.length === 2)
    expect(told).toEqual([['OLD'], ['OLD', 'NEW']])
  })
})
