import type { ServerMessage } from '@roost/api-types/agent'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'

let api: TestApi
let agent: SimulatedAgent | undefined
beforeAll(async () => {
  api = await startApi()
})
afterEach(() => agent?.stop('terminate'))
afterAll(() => api.stop())

describe('a catalogue that cannot be taken', () => {
  const many = Array.from({ length: 20_001 }, (_, i) => `m${i}`)
  it.each([
    ['names a metric twice', ['a', 'a'], "The metric 'a' appears twice in the catalogue."],
    ['names more metrics than there may be', many, 'metrics: A catalogue has at most 20000 metrics.'],
  ])('because it %s is refused with the reason, and the session goes on', async (_, names, reason) => {
    const [identity] = await insertNodes(api.database, await addCluster(api.database), 1)
    if (identity === undefined) throw new Error('No node was inserted.')
    const messages: ServerMessage[] = []
    const metrics = names.map((name) => ({ name, unit: 'u', aggregation: 'sum' as const }))
    const { url, ca } = api
    agent = new SimulatedAgent({ url, ca, identity, metrics, onMessage: (message) => void messages.push(message) })
    agent.dial()
    const refused = () => messages.find(({ type }) => type === 'refused')
    await expect.poll(refused).toMatchObject({ of: 'catalogue', message: reason })
    agent.send({ type: 'ping', id: 7 })
    await expect.poll(() => messages).toContainEqual({ type: 'pong', id: 7 })
    expect((await api.get('/healthz')).status).toBe(200)
  })
})
