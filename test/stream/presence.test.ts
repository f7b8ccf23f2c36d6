import { systemClock } from '@roost/runtime'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeCodes } from '@roost/api-types/agent'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { type EnrolledNode, insertNodes } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import type { SimulatedAgentOptions } from '../support/agents/simulated-agent.js'
import { SimulatedClock } from '../support/clock/simulated-clock.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { isOver as over, isWelcomed as welcomed } from './dial.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer, StreamServerOptions } from './stream-server.js'

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
  server = await startStreamServer({ database, ...options })
}

/** The seconds of a clock that does not advance: an agent becomes silent only when the test lets it. */
let seconds = 0
async function startByHand(options: StreamServerOptions = {}): Promise<void> {
  seconds = 0
  await start({ clock: { ...systemClock, monotonic: () => seconds * 1_000 }, ...options })
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

async function connect(...given: Parameters<typeof dial>): Promise<SimulatedAgent> {
  const agent = dial(...given)
  await agent.until(welcomed)
  return agent
}

const becomes = (node: EnrolledNode, state: string) =>
  vi.waitFor(async () => expect(await server.stateOf(node.id)).toBe(state), waitTimeoutMs)

describe('a node', () => {
  it('that is new is online at once: whoever added it may ask in the same second', async () => {
    // No round of the watch begins.
    await start({ clock: new SimulatedClock(Date.now()) })
    const node = await newNode()
    await connect(node)
    await becomes(node, 'online')
    expect(await server.stateOf(node.id)).toBe('online')
  })

  it('that becomes silent is stale after three heartbeats and offline after six, when its connection is ended', async () => {
    await startByHand()
    const node = await newNode()
    const agent = await connect(node, { silent: true })
    await becomes(node, 'online')
    for (const [after, state] of [
      [44, 'online'],
      [46, 'stale'],
      [89, 'stale'],
      [91, 'offline'],
    ] as const) {
      seconds = after
      await sleep(1_200) // a round of the watch
      await becomes(node, state)
      expect(await server.stateOf(node.id)).toBe(state)
    }
    await agent.until(over)
  })

  it('that sends heartbeats stays online', async () => {
    await startByHand()
    const node = await newNode()
    const agent = await connect(node, { silent: true })
    await becomes(node, 'online')
    for (let beats = 1; beats <= 3; beats++) {
      seconds += 40
      agent.send({ type: 'ping', id: beats })
      await agent.until(({ pongs }) => pongs === beats)
      await sleep(1_200) // a round of the watch
      await becomes(node, 'online')
    }
    expect(agent.ended).toBeUndefined()
  })

  it('that was online before a restart of the control plane stays so until it had time to reconnect', async () => {
    await startByHand()
    const node = await newNode()
    const agent = await connect(node)
    await becomes(node, 'online')
    agent.stop('terminate')
    await server.close()
    await startByHand()
    expect(await server.stateOf(node.id)).toBe('online')
    seconds = 91
    await becomes(node, 'offline')
  })

  it('is disconnected by a stopping control plane with 1012 and a time to reconnect', async () => {
    await start()
    const agent = await connect(await newNode())
    await server.stream.close()
    await agent.until(over)
    expect(agent.ended).toMatchObject({ code: closeCodes.serviceRestart })
    expect(agent.ended?.retryAfterMs).toBeGreaterThanOrEqual(500)
  })
})

describe('a fleet', () => {
  it('is disconnected with evenly distributed times to reconnect', async () => {
    await start()
    const fleet = (await insertNodes(database, server.clusterId, 100)).map((node) => dial(node))
    await Promise.all(fleet.map((agent) => agent.until(welcomed)))
    await server.stream.close()
    await Promise.all(fleet.map((agent) => agent.until(over)))
    const moments = fleet.map(({ ended }) => ended?.retryAfterMs ?? 0)
    expect(Math.min(...moments)).toBeGreaterThanOrEqual(500)
    expect(peakOverMean(moments)).toBeLessThan(3)
  })
})

/** How much the busiest tenth of a second has over the mean. */
function peakOverMean(moments: readonly number[]): number {
  const tenths = moments.map((moment) => Math.floor(moment / 100))
  const most = Math.max(...tenths.map((tenth) => tenths.filter((other) => other === tenth).length))
  return (most * (Math.max(...moments) - Math.min(...moments))) / 100 / moments.length
}

describe('a second machine with the identity of a connected node', () => {
  it('is parked while the first is connected, and the node shows duplicate until it disconnects', async () => {
    await start()
    const node = await newNode()
    const first = await connect(node)
    const clone = await connect(node, { hello: { machine_id: 'clone', boot_id: 'b2' } })
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

  it('has all its messages ignored', async () => {
    await start()
    const node = await newNode()
    await connect(node)
    const refused: unknown[] = []
    const clone = await connect(node, {
      hello: { machine_id: 'clone' },
      onMessage: (message) => message.type === 'refused' && refused.push(message),
    })
    clone.sendFrame(new Float64Array(3))
    clone.send({ type: 'log', level: 'info', message: 'from the clone' })
    await clone.until(() => refused.length === 1)
    expect(server.heard.logs).toEqual([])
    expect(server.heard.frames).toEqual([])
  })

  it('that has the same machine-id, as a cloned image does, is distinguished by its boot-id', async () => {
    await start()
    const node = await newNode()
    const first = await connect(node)
    const clone = await connect(node, { hello: { boot_id: 'another boot' } })
    expect(clone.parkedBecause).toContain(first.bootId)
  })

  it('is the same machine after a power cut: its old session does not answer, and is replaced', async () => {
    await start({ probeMs: 1_000 })
    const node = await newNode()
    const dead = await connect(node, { silent: true })
    const rebooted = await connect(node, { hello: { boot_id: 'after the power cut' } })
    expect(rebooted.parkedBecause).toBeNull()
    await dead.until(over)
  })

  it('is not accepted while the first reconnects, also over a restart of the control plane', async () => {
    await startByHand()
    const node = await newNode()
    const first = await connect(node)
    await becomes(node, 'online')
    first.stop('terminate')
    await server.close()
    await startByHand()
    const clone = await connect(node, { hello: { machine_id: 'clone' } })
    expect(clone.parkedBecause).toContain(first.machineId)
    const again = await connect(node)
    expect(again.parkedBecause).toBeNull()
  })

  it('reconnects when the first has been offline: a moved identity needs no operator', async () => {
    await startByHand()
    const node = await newNode()
    const first = await connect(node)
    const heir = dial(node, { hello: { machine_id: 'heir' }, reconnect: true })
    await heir.until(({ parkedBecause }) => parkedBecause !== null)
    first.stop()
    seconds = 60
    heir.send({ type: 'ping', id: 1 })
    await heir.until(({ pongs }) => pongs === 1)
    seconds = 91
    await heir.until(({ welcomed }) => welcomed === 2)
    expect(heir.parkedBecause).toBeNull()
    await becomes(node, 'online')
  })
})

describe('the pace', () => {
  it('leaves a fleet of ten thousand at most 200 messages a second', async () => {
    await start()
    const first = await connect(await newNode())
    expect(first.heartbeatMs).toBe(15_000)
    await server.close()
    await database.prisma.$executeRaw`
      insert into nodes (uuid, cluster_id, hostname, public_key, machine_id, boot_id, state)
      select gen_random_uuid(), ${server.clusterId}, 'n' || i, sha256(i::text::bytea), 'm', 'b', 'online'
      from generate_series(1, 10000) as i`
    onTestFinished(async () => void (await database.prisma.node.deleteMany({ where: { machineId: 'm' } })))
    await start()
    const later = dial(await newNode())
    await later.until((one) => one.heartbeatMs > 15_000)
    expect(10_000 / (later.heartbeatMs / 1_000)).toBeLessThanOrEqual(200)
    expect(later.spreadMs).toBe(120_000)
  })

  it('is sent again to every agent when the fleet has outgrown it', async () => {
    await startByHand({ heartbeatMs: 500 })
    const fleet = (await insertNodes(database, server.clusterId, 150)).map((identity) => dial(identity))
    await Promise.all(fleet.map((agent) => agent.until(welcomed)))
    await Promise.all(fleet.map((agent) => agent.until((one) => one.heartbeatMs > 800 && one.heartbeatMs < 15_000)))
    expect(Math.min(...fleet.map((one) => one.heartbeatMs))).toBeGreaterThan(800)
  })
})

describe('new authorities', () => {
  it('reach every session as soon as they are trusted', async () => {
    const cas = ['OLD']
    await start({ trustedCas: () => cas })
    const authorities: (readonly string[])[] = []
    const agent = dial(await newNode(), {
      onMessage: (message) => message.type === 'settings' && authorities.push(message.ca),
    })
    await agent.until(() => authorities.length === 1)
    cas.push('NEW')
    await agent.until(() => authorities.length === 2)
    expect(authorities).toEqual([['OLD'], ['OLD', 'NEW']])
  })
})
