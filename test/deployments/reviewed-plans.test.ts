import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job } from '@roost/api-types/rest'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { addLabNode, waitForJob, blockHalfway } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { newIdentity } from '../support/agents/simulated-identity.js'
import { currentFiles } from '../support/gateway/folder-applier.js'
import { shareApi } from '../support/http/shared-api.js'

vi.setConfig({ testTimeout: 180_000 })
const server = shareApi()
const path = '/api/v1/user_db_deployments/'
let cluster = ''
let bob = ''
let first: LabNode
let second: LabNode
beforeEach(async () => {
  const { controlPlane, database } = server.api
  const id = await addCluster(database)
  cluster = `/api/v1/clusters/${id}/`
  const user = { cluster, user: 'bob', password: 'correct-horse-battery-staple' }
  bob = (await server.post('/api/v1/users/', user)).body.resource_uri
  first = await addLabNode(controlPlane, database, id, { runsProxy: true })
  second = await addLabNode(controlPlane, database, id, { runsProxy: true })
  for (const node of [first, second]) await node.start()
  return () => Promise.all([first, second].map((node) => node.remove()))
})

async function ended(body: object): Promise<Job> {
  const { status, body: job } = await server.post(path, { cluster, ...body })
  expect(status).toBe(201)
  return waitForJob(server.get, job, 60_000)
}

/** Applies a reviewed plan; the second proxy waits for its turn until `meanwhile` is done. */
async function applyReviewed(meanwhile: () => Promise<unknown>): Promise<Job> {
  await ended({})
  await server.patch(bob, { is_superuser: true })
  const { plan } = await ended({ dry_run: true })
  const release = blockHalfway(first)
  const { body: job } = await server.post(path, { cluster, plan_id: plan?.plan_id })
  const states = async () => ((await server.get(job.resource_uri)).body as Job).targets.map(({ state }) => state)
  await expect.poll(states, { timeout: 60_000 }).toEqual(['staged', 'waiting'])
  await meanwhile()
  release()
  const end = await waitForJob(server.get, job, 60_000)
  expect(end.plan).toEqual(plan)
  return end
}

it('a dry run is asked again of a node that reconnects before it has answered', async () => {
  const identity = newIdentity()
  const { uuid, publicKey } = identity
  const machine = { uuid, publicKey, machineId: `machine-${uuid}` }
  const role = { create: { runsProxy: true } }
  const node = await addNode(server.api.database, await addCluster(server.api.database), { ...machine, role })
  const requests: string[] = []
  const plan = { files: [], daemons: [], mounts: { started: [], stopped: [] }, notes: [] }
  const { url, ca } = server.api
  const agent = new SimulatedAgent({
    url,
    ca,
    identity,
    onMessage(message) {
      if (message.type !== 'plan_request') return
      requests.push(message.request)
      if (requests.length === 1) agent.stop('terminate')
      else agent.send({ type: 'plan', request: message.request, plan, error: null })
    },
  })
  onTestFinished(() => agent.stop())
  agent.dial()
  await agent.until(({ welcomed }) => welcomed > 0)
  const { body: job } = await server.post(path, { node: `/api/v1/nodes/${node}/`, dry_run: true })
  await agent.until(({ ended }) => ended !== undefined)
  agent.dial()
  expect(await waitForJob(server.get, job, 25_000)).toMatchObject({ state: 'COMPLETED_SUCCESS' })
  expect(requests).toEqual([requests[0], requests[0]])
})

describe('a plan that was reviewed', () => {
  it('is what every node does, however late its turn comes', async () => {
    const end = await applyReviewed(async () => {})
    expect(end).toMatchObject({ state: 'COMPLETED_SUCCESS', targets: [{ state: 'applied' }, { state: 'applied' }] })
    expect([...(await currentFiles(second.usersDir)).values()]).toEqual(['true\n'])
  })

  it('is not applied on a node any more once somebody has changed a user', async () => {
    const end = await applyReviewed(() => server.patch(bob, { is_superuser: false }))
    expect(end).toMatchObject({ state: 'COMPLETED_FAILED', targets: [{ state: 'applied' }, { state: 'failed' }] })
    expect(end.targets[1]?.message).toMatch(/^The desired state of this node was changed after its plan/)
    expect([...(await currentFiles(second.usersDir)).values()]).toEqual(['false\n'])
  })

  it('is not applied on a node any more once the node itself has changed', async () => {
    const file = join(second.usersDir, 'current', 'carol')
    const end = await applyReviewed(() => writeFile(file, 'by hand\n'))
    expect(end).toMatchObject({ state: 'COMPLETED_FAILED', targets: [{ state: 'applied' }, { state: 'failed' }] })
    expect(end.targets[1]?.message).toMatch(/^The node was changed after its plan was reviewed \(carol\)\./)
    expect((await currentFiles(second.usersDir)).get('carol')).toBe('by hand\n')
  })

  it('is not applied on a node that does not answer when its turn comes', async () => {
    const end = await applyReviewed(() => second.stop())
    expect(end).toMatchObject({ state: 'COMPLETED_FAILED', targets: [{ state: 'applied' }, { state: 'failed' }] })
    expect(end.targets[1]?.message).toBe('The node is not connected. Check that its agent is running, and try again.')
  })
})
