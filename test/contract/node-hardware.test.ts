import { createClient } from '@roost/api-types'
import type { HardwareReport } from '@roost/api-types/agent'
import { NodeHardware } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { newIdentity } from '../support/agents/simulated-identity.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'

/** On a machine with much to do. */
const patience = { timeout: 45_000, interval: 50 }
/** The example of the documents, as an agent reports it. */
const examples = NodeHardware.meta()?.examples as readonly unknown[] | undefined
const { node: _node, ...example } = NodeHardware.parse(examples?.[0])
const report: HardwareReport = { ...example, read_at: 1_795_201_200.5 }

let api: TestApi
let cluster: number
let node: number
const identity = newIdentity()
beforeAll(async () => {
  api = await startApi()
  cluster = await addCluster(api.database, 'lab')
  const { publicKey, uuid } = identity
  node = await addNode(api.database, cluster, { uuid, publicKey, machineId: `machine-${uuid}`, hostname: 'store-1' })
})
afterAll(() => api.stop())

const hardware = (id = node) => api.get(`/api/v1/nodes/${id}/hardware/`)
const shown = () => {
  const { read_at: _, ...parts } = report
  return { node: `/api/v1/nodes/${node}/`, read_at: '2026-11-20T19:00:00.500Z', ...parts }
}

/** One session, in which the agent reports this inventory. */
async function connect(hardware: HardwareReport | undefined): Promise<void> {
  const inventory = { ...simulatedInventory('store-1'), ...(hardware === undefined ? {} : { hardware }) }
  const agent = new SimulatedAgent({ url: api.url, ca: api.ca, identity, inventory })
  // Each simulated agent counts from 1.
  await api.database.prisma.node.update({ where: { id: node }, data: { inventorySequence: 0n } })
  agent.dial()
  await vi.waitFor(async () => {
    const { inventorySequence } = await api.database.prisma.node.findUniqueOrThrow({ where: { id: node } })
    expect(inventorySequence).toBe(1n)
  }, patience)
  agent.stop()
  await agent.until(({ ended }) => ended !== undefined)
}

describe('nodes/<id>/hardware/', () => {
  it('is 503 with the reason until the agent has reported it', async () => {
    const { status, body, headers } = await hardware()
    expect([status, headers['retry-after']]).toEqual([503, '60'])
    expect(body).toEqual({
      error: 'The agent of store-1 has not reported its hardware yet. It will do so within a minute after it connects.',
    })
    const old = await addNode(api.database, cluster, { hostname: 'store-2', agentVersion: '0.1.0' })
    expect((await hardware(old)).body).toEqual({
      error: 'The agent of store-2 (0.1.0) does not report hardware. Upgrade the agent of store-2.',
    })
  })

  it('is what the agent read last, with its time, also while the node is offline', async () => {
    await connect(report)
    expect(await hardware()).toMatchObject({ status: 200, body: shown() })
    await api.database.prisma.node.update({ where: { id: node }, data: { state: 'offline' } })
    expect((await hardware()).body).toEqual(shown())
  })

  it('stays known when the agent reports an inventory before it has read the hardware again', async () => {
    await connect(undefined)
    expect((await hardware()).body).toEqual(shown())
  })

  it('is not in the list and in the record of the node', async () => {
    const { body } = await api.get(`/api/v1/nodes/${node}/`)
    expect(Object.keys(body)).not.toContain('hardware')
    expect(JSON.stringify((await api.get('/api/v1/nodes/')).body)).not.toContain(example.disks?.[0]?.serial)
  })

  it('is for readers, and for GET alone; an unknown node is 404', async () => {
    const authorization = `apikey ${await api.addOperator({ role: 'read_only' })}`
    const path = `/api/v1/nodes/${node}/hardware/`
    expect((await api.call(path, { headers: { authorization } })).status).toBe(200)
    expect((await api.call(path, { method: 'POST', body: {} })).status).toBe(405)
    expect((await hardware(999_999)).status).toBe(404)
  })

  it('is the same by tRPC', async () => {
    const { rpc, close } = createClient({ url: api.url, apiKey: api.key, ca: api.ca })
    expect(await rpc.nodes.hardware.query({ id: node })).toEqual(shown())
    await close()
  })
})
