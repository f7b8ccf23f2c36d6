import { closeCodes, oldestProtocolVersion, protocolVersion } from '@roost/api-types/agent'
import type { ServerMessage } from '@roost/api-types/agent'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { isOver, isWelcomed, useAgents } from './dial.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer } from './stream-server.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'

/** A control plane of the future, which serves the version before its own in full. */
const protocol = { oldest: 2, current: 3 }

let server: StreamServer
const { newNode, dialAs } = useAgents(() => server)

beforeAll(async () => {
  server = await startStreamServer({ protocol })
})
afterAll(() => server.close())

describe('an agent', () => {
  it.each([2, 3])('of protocol %i is served in full', async (spoken) => {
    const messages: ServerMessage[] = []
    const node = await newNode()
    const agent = dialAs(node, {
      hello: { protocol: spoken, agent_version: `0.${spoken}.0` },
      onMessage: (message) => messages.push(message),
    })
    await agent.until(isWelcomed)
    agent.send({ type: 'catalogue', id: 1, metrics: [{ name: 'uptime', unit: 'seconds', aggregation: 'mean' }] })
    agent.sendFrame(new Float64Array([1]))
    agent.send({ type: 'device_usage', time: Date.now() / 1000, devices: [] })
    agent.send({ type: 'from_the_future', of: 'anything' })
    await agent.until(() => messages.some((message) => message.type === 'unsupported'))
    expect(server.heard.catalogues.at(-1)).toMatchObject({ nodeId: node.id })
    expect(server.heard.frames.at(-1)).toMatchObject({ nodeId: node.id })
    expect(server.heard.usages.at(-1)).toMatchObject({ nodeId: node.id })
    expect(messages.find((message) => message.type === 'challenge')).toMatchObject({ protocol: 3, oldest_protocol: 2 })
  })

  it('of a newer protocol is refused with the control plane that it needs, whatever else its hello says', async () => {
    const node = await newNode()
    const agent = dialAs(node, { hello: { protocol: 4, capabilities: 'of another kind' as never } })
    await agent.until(isOver)
    expect(agent.ended).toMatchObject({
      code: closeCodes.needsUpgrade,
      message: 'needs control plane ≥ protocol 4; this one speaks 3',
    })
    expect(await server.stateOf(node.id)).toBe('pending')
  })

  it('of a newer protocol that signs as we do is shown as needs_upgrade with its version', async () => {
    const node = await newNode()
    const agent = dialAs(node, { hello: { protocol: 4, agent_version: '0.4.0' } })
    await agent.until(isOver)
    const shown = () => server.database.prisma.node.findUniqueOrThrow({ where: { id: node.id } })
    await vi.waitFor(
      async () => expect(await shown()).toMatchObject({ state: 'needs_upgrade', agentVersion: '0.4.0' }),
      waitTimeoutMs,
    )
  })

  it('of a too old protocol is refused, shown as needs_upgrade with its version, and online again once upgraded', async () => {
    const node = await newNode()
    const old = dialAs(node, { hello: { protocol: 1, agent_version: '0.1.0' } })
    await old.until(isOver)
    expect(old.ended).toMatchObject({
      code: closeCodes.needsUpgrade,
      message: 'needs agent ≥ protocol 2; this one speaks 1',
    })
    const shown = () => server.database.prisma.node.findUniqueOrThrow({ where: { id: node.id } })
    await vi.waitFor(
      async () => expect(await shown()).toMatchObject({ state: 'needs_upgrade', agentVersion: '0.1.0' }),
      waitTimeoutMs,
    )
    const upgraded = dialAs(node, { hello: { protocol: 3, agent_version: '0.3.0' } })
    await upgraded.until(isWelcomed)
    await vi.waitFor(
      async () => expect(await shown()).toMatchObject({ state: 'online', agentVersion: '0.3.0' }),
      waitTimeoutMs,
    )
  })

  it('of a too old protocol that cannot sign for the node changes nothing about it', async () => {
    const [node, other] = [await newNode(), await newNode()]
    const forger = dialAs({ ...node, privateKey: other.privateKey }, { hello: { protocol: 1 } })
    await forger.until(isOver)
    expect(forger.ended?.code).toBe(closeCodes.unauthenticated)
    expect(await server.stateOf(node.id)).toBe('pending')
  })
})

describe('the version', () => {
  it('that this release speaks is one that it serves', () => {
    expect(oldestProtocolVersion).toBeLessThanOrEqual(protocolVersion)
    expect(Number.isInteger(protocolVersion)).toBe(true)
  })
})
