import { AgentMessage } from '@roost/api-types/agent'
import type { ServerMessage } from '@roost/api-types/agent'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { EnrolledNode } from '../support/agents/nodes.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { useAgents } from './dial.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer } from './stream-server.js'

const isLong = process.env['ROOST_TEST_LONG'] === '1'

let server: StreamServer
let victim: EnrolledNode
const { connect, newNode } = useAgents(() => server)

beforeAll(async () => {
  server = await startStreamServer()
  victim = await newNode()
})
afterAll(() => server.close())

/** Every type that an agent may send, but for the heartbeat, which says nothing of a node. */
const types = AgentMessage.def.options
  .flatMap(({ shape }) => shape.type.def.values)
  .filter((type) => type !== 'ping' && type !== 'pong')

/** Messages of readings and results that are good. */
const messages: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  inventory: { type: 'inventory', sequence: 1, inventory: simulatedInventory('liar') },
  catalogue: { type: 'catalogue', id: 1, metrics: [{ name: 'a.b', unit: 'count', aggregation: 'sum' }] },
  device_usage: { type: 'device_usage', time: Date.now() / 1000, devices: [] },
  usage: { type: 'usage', sequence: 2, half_hour: 1800, storage: [], transfer: [], log_read: null },
  mount_restored: { type: 'mount_restored', sequence: 3, share: 1, time: 1, reason: 'The mount did not answer.' },
  log: { type: 'log', level: 'info', message: 'hello' },
}

/** Every way to say that a message is another node's. */
const claims = (other: EnrolledNode) =>
  fc.oneof(
    fc.constant({ node: other.id }),
    fc.constant({ node_id: other.id }),
    fc.constant({ node_uuid: other.uuid }),
    fc.constant({ node: `/api/v1/nodes/${other.id}/` }),
    fc.record({ node_id: fc.jsonValue().filter((value) => value !== undefined) }),
    fc.record({ node_uuid: fc.uuid() }),
  )

const everything = () => {
  const { inventories, catalogues, usages, accounts, deployments, restored, logs, frames } = server.heard
  return [...inventories, ...catalogues, ...usages, ...accounts, ...deployments, ...restored, ...logs, ...frames]
}

describe('a message of one node that names another', () => {
  it('is refused, reaches no feature, and is audited with who sent it', async () => {
    const begun = performance.now()
    const refusals: ServerMessage[] = []
    const { agent, node } = await connect({
      onMessage: (message) => message.type === 'refused' && refusals.push(message),
    })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...types), claims(victim), async (type, claim) => {
        // A claim that happens to be the sender's own is no lie.
        fc.pre(Object.values(claim)[0] !== node.id)
        const before = refusals.length
        agent.send({ ...messages[type], type, ...claim })
        await agent.until(() => refusals.length > before)
        expect(refusals.at(-1)).toMatchObject({ of: type, message: expect.stringContaining(node.uuid) as string })
        await new Promise((resolve) => setTimeout(resolve, 25)) // stay below 50 messages a second
      }),
      { numRuns: isLong ? 2_000 : 100 },
    )
    expect(everything()).toEqual([])
    await vi.waitFor(async () => {
      const events = await server.database.prisma.auditEvent.findMany({
        where: { action: 'refuse', resourceId: node.id },
      })
      expect(events[0]).toMatchObject({ operator: `agent ${node.uuid}`, address: '127.0.0.1' })
      // One a minute, however many there were.
      expect(events.length).toBeLessThanOrEqual(1 + Math.floor((performance.now() - begun) / 60_000))
    }, waitTimeoutMs)
  })

  it('without a name of any node is taken as the sender’s own, also by a frame', async () => {
    const { agent, node } = await connect()
    for (const message of Object.values(messages)) agent.send(message)
    agent.sendFrame(new Float64Array([1]))
    await vi.waitFor(() => expect(everything()).toHaveLength(7), waitTimeoutMs)
    expect(new Set(everything().map(({ nodeId }) => nodeId))).toEqual(new Set([node.id]))
  })

  it('asks in vain for what is another’s', async () => {
    const answers: ServerMessage[] = []
    const { agent } = await connect({ onMessage: (message) => answers.push(message) })
    agent.send({ type: 'desired', generation: 1 })
    agent.send({ type: 'desired', node_uuid: victim.uuid })
    await agent.until(() => answers.at(-1)?.type === 'refused')
    expect(answers.slice(-2).map(({ type }) => type)).toEqual(['unsupported', 'refused'])
  })
})
