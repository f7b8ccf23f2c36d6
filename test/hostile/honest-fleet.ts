import type { Job } from '@roost/api-types/rest'
import { expect } from 'vitest'
import { insertNodes } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { halfHourMs, storageOf, usageMessage } from '../support/database/usage-rows.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { currentFiles } from '../support/gateway/folder-applier.js'
import type { TestApi } from '../support/http/api.js'

const names = ['test.a', 'test.b']
const disks = 3
export const honestAccount = 'AUTH_honest'
/** The half-hour that is reported, in Unix seconds: one that has ended, so that it stays the same during a test. */
export const honestHalfHour = (Math.floor(Date.now() / halfHourMs) - 1) * (halfHourMs / 1000)

interface StorageNode {
  readonly id: number
  readonly hostname: string
  readonly agent: SimulatedAgent
}

/** Two storage nodes and a gateway that work as they should. A test checks whether others see them so. */
export interface HonestFleet {
  readonly api: TestApi
  readonly clusterId: number
  readonly storage: readonly StorageNode[]
  readonly gateway: LabNode
  /** The URI of the share of the gateway. */
  readonly share: string
  /** How often the fleet was checked: each time it reports other values. */
  rounds: number
}

export async function startHonestFleet(api: TestApi, clusterId: number): Promise<HonestFleet> {
  const identities = await insertNodes(api.database, clusterId, 2)
  const storage = identities.map((identity, index) => {
    const hostname = `honest-${index}`
    const agent = new SimulatedAgent({
      url: api.url,
      ca: api.ca,
      identity,
      inventory: { ...simulatedInventory(hostname, disks), in_account_ring: true },
      metrics: names.map((name) => ({ name, unit: 'count', aggregation: 'sum' })),
    })
    return { id: identity.id, hostname, agent }
  })
  for (const { agent } of storage) {
    agent.dial()
    await agent.until(({ acknowledged }) => acknowledged === 1)
  }
  const gateway = await addLabNode(api.controlPlane, api.database, clusterId)
  await gateway.start()
  const body = { name: 'docs', node: gateway.uri, objectstore_container: 'c', enabled: true }
  const share = await api.call('/api/v1/gateway_shares/', { method: 'POST', body })
  return { api, clusterId, storage, gateway, share: share.body.resource_uri, rounds: 0 }
}

export async function stopHonestFleet({ storage, gateway }: HonestFleet): Promise<void> {
  for (const { agent } of storage) agent.stop('terminate')
  await gateway.remove()
}

/** A machine with the identity of an honest node. */
export function cloneOf({ api, storage }: HonestFleet): SimulatedAgent {
  const [{ agent }] = storage as readonly [StorageNode]
  const hello = { machine_id: 'clone', boot_id: 'clone' }
  return new SimulatedAgent({ url: api.url, ca: api.ca, identity: agent.options.identity, hello })
}

/** Expects the values, devices and usage of each node to be as it reports them. */
export async function expectRight(fleet: HonestFleet): Promise<void> {
  const { api, clusterId, storage } = fleet
  const round = (fleet.rounds += 1)
  for (const { id, hostname, agent } of storage) {
    expect([hostname, agent.ended]).toEqual([hostname, undefined])
    agent.sendFrame(new Float64Array([round, -round]))
    agent.send(deviceUsage(round))
    const sequence = agent.acknowledged + 1
    agent.send({ ...usageMessage(honestHalfHour * 1000, { storage: [storageOf(honestAccount, 1_000)] }), sequence })
    await agent.until(({ acknowledged, ended }) => acknowledged === sequence || ended !== undefined)
    const poll = async () => (await read(api, `nodes/${id}/metrics/poll/?metrics=test.*`)).metrics
    await expect.poll(poll).toMatchObject([{ value: round }, { value: -round }])
    const devices = async () => (await read(api, `devices/?node=${id}&limit=10&order_by=name`)).objects
    await expect.poll(devices).toMatchObject(
      Array.from({ length: disks }, (_, i) => ({
        uuid: `${hostname}-fs-${i}`,
        status: 'ok',
        free_bytes: 2e12 + round,
      })),
    )
  }
  const [start, end] = [honestHalfHour, honestHalfHour + 1800].map((time) => new Date(time * 1000).toISOString())
  const usage = `clusters/${clusterId}/utilization/storage/0/${honestAccount}/?start=${start}&end=${end}`
  expect((await read(api, usage)).objects).toMatchObject([{ bytes_used: 1_000, verified: true }])
}

/** Expects the nodes to be seen as they are, and no list of the API and no answer about the last of the others to fail. */
export async function expectUnharmed(fleet: HonestFleet, otherIds: readonly number[]): Promise<void> {
  await expectRight(fleet)
  const { api, clusterId } = fleet
  const paths = [
    ...lists.map((resource) => `${resource}/?limit=100`),
    ...ofCluster.map((part) => `clusters/${clusterId}/${part}/${part.startsWith('metrics/') ? '?metrics=*' : ''}`),
    ...otherIds.slice(-3).map((id) => `nodes/${id}/`),
  ]
  for (const path of paths) await read(api, path)
  for (const path of ['/metrics', '/readyz']) expect((await api.get(path)).status).toBe(200)
}

const lists = ['clusters', 'nodes', 'devices', 'storage_policies', 'audit_events', 'gateway_deployments']
const ofCluster = [
  'capacity/list',
  'capacity/forecast',
  'capacity/explain',
  'health/explain',
  'metrics/list',
  'metrics/poll',
  'metrics/across',
  'health',
]

/** Expects a deployment to reach the gateway, and its files to be what was deployed. */
export async function expectDeployed({ api, gateway, share, rounds }: HonestFleet): Promise<void> {
  const access_mode = rounds % 2 === 0 ? 'ro' : 'rw'
  const changed = await api.patch(share, { access_mode })
  expect([changed.status, changed.body.access_mode]).toEqual([202, access_mode])
  const body = { node: gateway.uri }
  const job: Job = (await api.call('/api/v1/gateway_deployments/', { method: 'POST', body })).body
  expect(await waitForJob((path) => api.get(path), job)).toMatchObject({ state: 'COMPLETED_SUCCESS' })
  expect([...(await currentFiles(gateway.dir)).values()]).toEqual([`docs\n${access_mode}\n`])
}

async function read(api: TestApi, path: string): Promise<ReturnType<typeof JSON.parse>> {
  const { status, text, body } = await api.get(`/api/v1/${path}`)
  expect({ path, status, text: status === 200 ? '' : text }).toEqual({ path, status: 200, text: '' })
  return body
}

function deviceUsage(round: number) {
  const space = { total_bytes: 4e12, free_bytes: 2e12 + round, available_bytes: 2e12 + round }
  const devices = Array.from({ length: disks }, (_, i) => ({ key: `/srv/node/d${i}`, status: 'ok', figures: space }))
  return { type: 'device_usage', time: Date.now() / 1000, devices }
}
