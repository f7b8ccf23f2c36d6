import { afterAll, beforeAll, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { startApi, type TestApi } from '../support/http/api.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

it('half a character in an inventory is replaced, and the inventory is stored', async () => {
  const [identity] = await insertNodes(api.database, await addCluster(api.database), 1)
  if (identity === undefined) throw new Error('No node was inserted.')
  const inventory = simulatedInventory('half \ud800', 1)
  const agent = new SimulatedAgent({ url: api.url, ca: api.ca, identity, inventory })
  agent.dial()
  await agent.until(({ acknowledged, ended }) => acknowledged === 1 || ended !== undefined)
  expect(agent.ended).toBeUndefined()
  expect((await api.get(`/api/v1/nodes/${identity.id}/`)).body.hostname).toBe('half \ufffd')
  agent.stop('terminate')
})
