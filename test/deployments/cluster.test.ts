import type { Job } from '@roost/api-types/rest'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { testCaller } from '../support/agents/enrollment.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addLabNode, waitForJob, blockHalfway } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startedGenerations, currentFiles, currentGeneration } from '../support/gateway/folder-applier.js'

const gateways = '/api/v1/gateway_deployments/'
const userDb = '/api/v1/user_db_deployments/'
/** Nothing takes so long: a test lets the time of a silent node be over by `expire`. */
const timeoutSeconds = 170

/** How far this process is ahead of the machine, by each of its clocks. */
const aheadMs = { monotonic: 0, wall: 0 }
const machine = { monotonic: performance.now.bind(performance), wall: Date.now }

let api: TestApi
beforeAll(async () => {
  vi.spyOn(performance, 'now').mockImplementation(() => machine.monotonic() + aheadMs.monotonic)
  vi.spyOn(Date, 'now').mockImplementation(() => machine.wall() + aheadMs.wall)
  api = await startApi({ ROOST_DEPLOYMENT_TIMEOUT: String(timeoutSeconds) })
})
afterAll(async () => {
  await api.stop()
  vi.restoreAllMocks()
})

let clusterId = 0
let cluster = ''
let nodes: LabNode[] = []
beforeEach(async () => {
  clusterId = await addCluster(api.database)
  cluster = `/api/v1/clusters/${clusterId}/`
  nodes = []
})
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.remove()))
})

const get = (path: string) => api.get(path)
const post = (path: string, body: unknown) => api.call(path, { method: 'POST', body })
const deploy = async (list: string, body: object = { cluster }): Promise<Job> => {
  const answer = await post(list, body)
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)])
  return answer.body
}
const deployed = async (list: string, body: object = { cluster }) => waitForJob(get, await deploy(list, body))
const configState = async ({ uri }: LabNode) => (await api.get(uri)).body.config_state
const states = ({ targets }: Job) => targets.map(({ state }) => state)

/** Nodes with a running agent each. */
async function addNodes(count: number, role: Parameters<typeof addLabNode>[3]): Promise<readonly LabNode[]> {
  for (let added = 0; added < count; added++)
    nodes.push(await addLabNode(api.controlPlane, api.database, clusterId, role))
  await Promise.all(nodes.map((node) => node.start()))
  return nodes
}

/** The time of the nodes that have been sent their generation and are silent, so many of them, is over now. */
async function expire({ id }: Job, count: number): Promise<void> {
  const { jobTarget } = api.database.prisma
  const where = { jobId: Number(id), begun: true, state: 'waiting' }
  await expect.poll(() => jobTarget.count({ where })).toBe(count)
  aheadMs.monotonic += timeoutSeconds * 1000
}

describe('a deployment to the gateways of a cluster', () => {
  it('fails for the nodes that are silent, which take it when they return, and the others do it once', async () => {
    const all = await addNodes(10, { runsGateway: true })
    const lost = all.slice(0, 3)
    const there = all.slice(3)
    await Promise.all(lost.map((node) => node.stop()))
    const job = await deploy(gateways)
    const seen = async () => states((await api.get(job.resource_uri)).body)
    await expect.poll(seen, { interval: 20 }).toEqual([...lost.map(() => 'waiting'), ...there.map(() => 'applied')])
    await expire(job, lost.length)
    const end = await waitForJob(get, job)
    expect(states(end)).toEqual([...lost.map(() => 'failed'), ...there.map(() => 'applied')])
    expect(end).toMatchObject({ state: 'COMPLETED_FAILED', message: expect.stringContaining('3 of 10 nodes failed') })
    await Promise.all(lost.map((node) => node.start()))
    for (const node of lost) await expect.poll(() => configState(node), { timeout: 60_000 }).toBe('synced')
    for (const node of all) expect(await startedGenerations(node.dir)).toEqual([1])
    expect(states((await api.get(job.resource_uri)).body)).toEqual(states(end))
  })

  it('conflicts with a running one of one of its nodes, and the other way round', async () => {
    const [node] = (await addNodes(1, { runsGateway: true })) as [LabNode]
    const release = blockHalfway(node)
    const ofNode = await deploy(gateways, { node: node.uri })
    for (const target of [{ cluster }, { node: node.uri }]) {
      const { status, body } = await post(gateways, target)
      expect([status, body.error]).toEqual([409, expect.stringContaining(ofNode.resource_uri)])
    }
    release()
    await waitForJob(get, ofNode)
    const releaseAgain = blockHalfway(node)
    const ofCluster = await deploy(gateways)
    expect((await post(gateways, { node: node.uri })).status).toBe(409)
    releaseAgain()
    await waitForJob(get, ofCluster)
    expect((await deployed(gateways, { node: node.uri })).state).toBe('COMPLETED_SUCCESS')
  })

  it.each([
    ['an hour ahead', 3_600_000],
    ['a day back', -86_400_000],
  ])('does not fail when the clock of the control plane is set %s', async (_how, ms) => {
    const [node] = (await addNodes(1, { runsGateway: true })) as [LabNode]
    await node.stop()
    const job = await deploy(gateways)
    const where = { jobId: Number(job.id), begun: true }
    await expect.poll(() => api.database.prisma.jobTarget.count({ where })).toBe(1)
    aheadMs.wall = ms
    // The other job ends in the check that decides about this one, too.
    await deployed(gateways, { cluster: `/api/v1/clusters/${await addCluster(api.database)}/` })
    expect((await api.get(job.resource_uri)).body).toMatchObject({
      state: 'IN_PROGRESS',
      targets: [{ state: 'waiting' }],
    })
    aheadMs.wall = 0
    await node.start()
    expect((await waitForJob(get, job)).state).toBe('COMPLETED_SUCCESS')
  })

  it('gets its complete time again from the next control plane, and fails after ten of them', async () => {
    const [node] = (await addNodes(1, { runsGateway: true })) as [LabNode]
    await node.stop()
    const left = (attempts: number) =>
      api.database.prisma.job.create({
        data: {
          kind: 'gateway',
          clusterId,
          state: 'IN_PROGRESS',
          targets: { create: { nodeId: node.id, state: 'waiting', begun: true, attempts } },
        },
      })
    const [{ id: ninth }, { id: tenth }] = [await left(9), await left(10)]
    const target = (jobId: number) => api.database.prisma.jobTarget.findFirstOrThrow({ where: { jobId } })
    await expect.poll(async () => (await target(tenth)).state, { timeout: 60_000 }).toBe('failed')
    expect(await target(ninth)).toMatchObject({ state: 'waiting', attempts: 10 })
  })

  it('fails where no node runs a gateway', async () => {
    expect(await deployed(gateways)).toMatchObject({
      state: 'COMPLETED_FAILED',
      message: 'The cluster has no nodes that run a gateway and are approved for it.',
      targets: [],
    })
  })

  it('leaves nodes out that are not enabled', async () => {
    const [one, other] = (await addNodes(2, { runsGateway: true })) as [LabNode, LabNode]
    await api.patch(other.uri, { enabled: false })
    expect((await deployed(gateways)).targets).toMatchObject([{ node: one.uri }])
  })

  it('goes on with the others when one of its nodes is removed', async () => {
    const [gone, other] = (await addNodes(2, { runsGateway: true })) as [LabNode, LabNode]
    await gone.stop()
    const job = await deploy(gateways)
    await api.context.services.nodes.remove(gone.id, testCaller, { force: true })
    expect(await waitForJob(get, job)).toMatchObject({
      state: 'COMPLETED_SUCCESS',
      targets: [{ node: other.uri, state: 'applied' }],
    })
  })
})

describe('a deployment of users to the proxies of a cluster', () => {
  const addUser = (user: string) => post('/api/v1/users/', { cluster, user, password: 'correct-horse-battery' })

  it('reaches one proxy after the other', async () => {
    const [first, second] = (await addNodes(2, { runsProxy: true })) as [LabNode, LabNode]
    await addUser('alice')
    const release = blockHalfway(first)
    const job = await deploy(userDb)
    await expect.poll(() => startedGenerations(first.usersDir)).toEqual([1])
    await expect.poll(async () => states((await api.get(job.resource_uri)).body)).toEqual(['staged', 'waiting'])
    expect(await startedGenerations(second.usersDir)).toEqual([])
    release()
    expect((await waitForJob(get, job)).state).toBe('COMPLETED_SUCCESS')
    for (const { usersDir } of nodes) expect([...(await currentFiles(usersDir)).keys()]).toEqual(['alice'])
  })

  it('stops at the first that could not do it', async () => {
    const [first, second] = (await addNodes(2, { runsProxy: true })) as [LabNode, LabNode]
    first.behavior.outcome = 'failed'
    const end = await deployed(userDb)
    expect(end.targets).toMatchObject([
      { state: 'failed', message: 'The folder says failed.', generation: 1 },
      { state: 'failed', message: 'Not started, because an earlier node failed.', generation: null },
    ])
    expect(await startedGenerations(second.usersDir)).toEqual([])
  })

  it('goes on after one that is silent', async () => {
    const [first, second] = (await addNodes(2, { runsProxy: true })) as [LabNode, LabNode]
    const release = blockHalfway(first)
    const job = await deploy(userDb)
    await expect.poll(async () => states((await api.get(job.resource_uri)).body)).toEqual(['staged', 'waiting'])
    aheadMs.monotonic += timeoutSeconds * 1000
    const end = await waitForJob(get, job)
    release()
    expect(states(end)).toEqual(['failed', 'applied'])
    expect(end.targets[0]?.message).toContain(`within ${timeoutSeconds} seconds`)
    expect(await currentGeneration(second.usersDir)).toBe(1)
  })

  it('can be cancelled as far as it has not begun', async () => {
    const [first, second] = (await addNodes(2, { runsProxy: true })) as [LabNode, LabNode]
    const release = blockHalfway(first)
    const job = await deploy(userDb)
    await expect.poll(() => startedGenerations(first.usersDir)).toEqual([1])
    const { status, body } = await post(`${job.resource_uri}cancel/`, {})
    expect([status, body.targets[1].message]).toEqual([202, 'Canceled by admin.'])
    expect((await post(`${job.resource_uri}cancel/`, {})).status).toBe(409)
    release()
    const end = await waitForJob(get, job)
    expect([end.state, states(end)]).toEqual(['COMPLETED_FAILED', ['applied', 'failed']])
    expect(await startedGenerations(second.usersDir)).toEqual([])
    expect((await post(`${job.resource_uri}cancel/`, {})).status).toBe(409)
  })

  it('fails where the cluster has no nodes', async () => {
    expect((await deployed(userDb)).message).toBe('The cluster has no nodes that run a proxy and are approved for it.')
  })

  it('runs beside one of shares', async () => {
    const [node] = (await addNodes(1, { runsProxy: true, runsGateway: true })) as [LabNode]
    const release = blockHalfway(node)
    const [shares, users] = [await deploy(gateways, { node: node.uri }), await deploy(userDb)]
    release()
    for (const job of [shares, users]) expect((await waitForJob(get, job)).state).toBe('COMPLETED_SUCCESS')
  })
})
