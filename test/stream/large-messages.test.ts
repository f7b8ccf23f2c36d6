import { closeCodes } from '@roost/api-types/agent'
import type { CatalogueMessage, ServerMessage } from '@roost/api-types/agent'
import { digestOf, sortedPositions } from '@roost/control-plane/dist/services/metric-definitions.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { isOver, useAgents } from './dial.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer } from './stream-server.js'

let server: StreamServer
let small: StreamServer
beforeAll(async () => {
  ;[server, small] = await Promise.all([startStreamServer(), startStreamServer({ maxLargeBytes: 500_000 })])
})
afterAll(() => Promise.all([server.close(), small.close()]))
const { connect } = useAgents(() => server)
const { connect: connectSmall } = useAgents(() => small)

/** 600 kB: read on another thread. Names are in no order. */
function largeCatalogue(prefix: string): CatalogueMessage {
  const metrics = Array.from({ length: 10_000 }, (_, i) => ({
    name: `${prefix}.n${(i * 7919) % 10_007}`,
    unit: 'count',
    aggregation: 'sum' as const,
  }))
  return { type: 'catalogue', id: 1, metrics }
}

const cataloguesOf = (nodeId: number) => server.heard.catalogues.filter((one) => one.nodeId === nodeId)

it('what an agent sends after a large message is handled after it', async () => {
  const { agent, node } = await connect()
  const catalogue = largeCatalogue('order')
  agent.send(catalogue)
  agent.sendFrame(new Float64Array(10_000))
  agent.send({ type: 'ping', id: 1 })
  await agent.until(({ pongs }) => pongs > 0)
  expect([cataloguesOf(node.id).length, server.heard.frames.filter(({ nodeId }) => nodeId === node.id).length]).toEqual(
    [1, 1],
  )
  const { message } = cataloguesOf(node.id)[0] as { readonly message: CatalogueMessage }
  expect(message).toEqual(catalogue)
  expect(digestOf(message.metrics)).toBe(digestOf(catalogue.metrics))
  expect(sortedPositions(message.metrics)).toEqual(sortedPositions(catalogue.metrics))
})

it('a large message that is not valid is refused with its field, and the session goes on', async () => {
  const messages: ServerMessage[] = []
  const { agent } = await connect({ onMessage: (message) => messages.push(message) })
  const { metrics, ...catalogue } = largeCatalogue('invalid')
  agent.socket.send(JSON.stringify({ ...catalogue, metrics: [...metrics.slice(1), { ...metrics[0], unit: 7 }] }))
  agent.socket.send(JSON.stringify({ type: 'new kind', text: 'x'.repeat(100_000) }))
  agent.send({ type: 'inventory', sequence: 1, inventory: simulatedInventory('n') })
  await agent.until(({ acknowledged }) => acknowledged === 1)
  expect(messages.filter(({ type }) => type === 'refused' || type === 'unsupported')).toEqual([
    { type: 'refused', of: 'catalogue', message: expect.stringContaining('metrics.9999.unit') as string },
    { type: 'unsupported', of: 'new kind' },
  ])
})

it('a large message that names another node is refused', async () => {
  const messages: ServerMessage[] = []
  const { agent, node } = await connect({ onMessage: (message) => messages.push(message) })
  const named = Array.from({ length: 20_000 }, (_, i) => [i])
  agent.socket.send(JSON.stringify({ ...largeCatalogue('named'), metrics: [], node_id: named }))
  agent.socket.send(JSON.stringify({ ...largeCatalogue('own'), node_id: node.id, node_uuid: node.uuid }))
  await expect.poll(() => cataloguesOf(node.id)).toHaveLength(1)
  expect(messages.filter(({ type }) => type === 'refused')).toEqual([
    expect.objectContaining({ message: expect.stringContaining('for another node') as string }),
  ])
})

it('a large message that is no JSON, or too deep, ends its session only', async () => {
  const { agent: other, node } = await connect()
  for (const text of ['x'.repeat(100_000), `{"type":"log","x":${'['.repeat(100)}${'1,'.repeat(50_000)}`]) {
    const { agent } = await connect()
    agent.socket.send(text)
    await agent.until(isOver)
    expect(agent.ended?.code).toBe(closeCodes.policyViolation)
  }
  other.send(largeCatalogue('other'))
  await expect.poll(() => cataloguesOf(node.id)).toHaveLength(1)
})

it('an agent ends while its large message is read, and the next one is read', async () => {
  const { agent } = await connect()
  agent.send(largeCatalogue('ended'))
  agent.stop('terminate')
  const { agent: next, node } = await connect()
  next.send(largeCatalogue('next'))
  await expect.poll(() => cataloguesOf(node.id)).toHaveLength(1)
})

it('when too many large messages wait, an agent is sent away to connect again later', async () => {
  const { agent } = await connectSmall()
  agent.send(largeCatalogue('refused'))
  await agent.until(isOver)
  expect(agent.ended).toMatchObject({ code: closeCodes.tryAgainLater, retryAfterMs: 10_000 })
  expect(small.heard.catalogues).toEqual([])
})
