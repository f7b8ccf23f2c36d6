import type { Job } from '@roost/api-types/rest'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { currentFiles, currentGeneration } from '../support/gateway/folder-applier.js'
import { shareApi } from '../support/http/shared-api.js'

/** Agents may connect again within this time after the end of a session. */
const reconnectMs = 30_000
let aheadMs = 0
const monotonic = performance.now.bind(performance)
beforeAll(() => void vi.spyOn(performance, 'now').mockImplementation(() => monotonic() + aheadMs))
afterAll(() => void vi.restoreAllMocks())

const server = shareApi()
let clusterId = 0
let cluster = ''
let proxies: LabNode[] = []
beforeEach(async () => {
  clusterId = await addCluster(server.api.database)
  cluster = `/api/v1/clusters/${clusterId}/`
  proxies = []
})
afterEach(() => Promise.all(proxies.map((node) => node.remove())))

async function startProxies(count: number): Promise<readonly LabNode[]> {
  const { controlPlane, database } = server.api
  for (let added = 0; added < count; added++)
    proxies.push(await addLabNode(controlPlane, database, clusterId, { runsProxy: true }))
  await Promise.all(proxies.map((node) => node.start()))
  return proxies
}

const post = async (): Promise<Job> => (await server.post('/api/v1/user_db_deployments/', { cluster })).body
const deploy = async () => waitForJob(server.get, await post())
const states = ({ targets }: Job) => targets.map(({ state }) => state)
const configState = async ({ uri }: LabNode) => (await server.get(uri)).body.config_state
const addUser = (user: string) => server.post('/api/v1/users/', { cluster, user, password: 'correct-horse-battery' })
const revocations = async ({ id }: LabNode): Promise<number> =>
  (await server.get(`/api/v1/audit_events/?resource=nodes&resource_id=${id}&action=revoke`)).body.meta.total_count

it('a proxy whose agent is restarted is waited for', async () => {
  const [node] = (await startProxies(1)) as [LabNode]
  await node.stop()
  const job = await post()
  await node.start()
  expect((await waitForJob(server.get, job)).state).toBe('COMPLETED_SUCCESS')
})

it('a proxy that is not connected fails at once, and gets the users when it returns, with an event of the audit', async () => {
  const [first, second] = (await startProxies(2)) as [LabNode, LabNode]
  await first.stop()
  aheadMs = reconnectMs
  // Meanwhile the control plane has not asked whether it still has its lock of the database.
  await expect.poll(async () => (await server.get('/readyz')).status).toBe(200)
  const end = await deploy()
  expect([end.state, states(end)]).toEqual(['COMPLETED_FAILED', ['failed', 'applied']])
  const { hostname } = (await server.get(first.uri)).body
  expect(end.message).toMatch(
    new RegExp(
      `^Users who lost rights are shut out on 1 of 2 proxies\\. ${hostname}: Not reached: this proxy is not connected`,
    ),
  )
  expect(await currentGeneration(second.usersDir)).toBe(1)
  await first.start()
  await expect.poll(() => revocations(first), { timeout: 60_000 }).toBe(1)
  expect([await currentGeneration(first.usersDir), await configState(first)]).toEqual([1, 'synced'])
  expect(await revocations(second)).toBe(0)
})

it('a proxy on Keystone that had users is no target only while its agent is connected and says so', async () => {
  const [first, second] = (await startProxies(2)) as [LabNode, LabNode]
  await deploy()
  first.setProxy('keystone')
  await expect.poll(async () => (await server.get(first.uri)).body.proxy_authentication).toBe('keystone')
  const planned = await deploy()
  expect([states(planned), planned.left_out.map(({ node }) => node)]).toEqual([['applied'], [first.uri]])
  await first.stop()
  aheadMs += reconnectMs
  await expect.poll(async () => (await server.get('/readyz')).status).toBe(200)
  const end = await deploy()
  expect([end.state, states(end), end.left_out]).toEqual(['COMPLETED_FAILED', ['failed', 'applied'], []])
  expect(await currentGeneration(second.usersDir)).toBe(3)
})

it('a revocation that was promised to a proxy is sent when the proxy has tempauth again, though a job has left it out', async () => {
  const [first] = (await startProxies(2)) as [LabNode, LabNode]
  const { body: alice } = await addUser('alice')
  await deploy()
  await first.stop()
  aheadMs += reconnectMs
  await expect.poll(async () => (await server.get('/readyz')).status).toBe(200)
  await server.remove(alice.resource_uri)
  expect((await deploy()).state).toBe('COMPLETED_FAILED')
  // As a job does that leaves it out by the answer of its agent, which ends before it gets the generation.
  const where = { nodeId_kind: { nodeId: first.id, kind: 'user_db' } }
  await server.api.database.prisma.nodeDeployment.update({ where, data: { isLeftOut: true } })
  first.setProxy('keystone')
  await first.start()
  await expect
    .poll(async () => (await server.get(first.uri)).body.proxy_authentication, { timeout: 60_000 })
    .toBe('keystone')
  expect(await currentGeneration(first.usersDir)).toBe(1)
  first.setProxy('tempauth')
  await expect.poll(() => currentGeneration(first.usersDir), { timeout: 60_000 }).toBe(2)
  expect([...(await currentFiles(first.usersDir)).keys()]).toEqual([])
  await expect.poll(() => configState(first)).toBe('synced')
})

it('rights are taken away on the other proxies, too, when the first could not do it', async () => {
  const [first, second, third] = (await startProxies(3)) as [LabNode, LabNode, LabNode]
  const { body: alice } = await addUser('alice')
  expect((await deploy()).state).toBe('COMPLETED_SUCCESS')
  await addUser('bob')
  first.behavior.outcome = 'failed'
  expect(states(await deploy())).toEqual(['failed', 'failed', 'failed'])
  await server.remove(alice.resource_uri)
  expect(states(await deploy())).toEqual(['failed', 'applied', 'applied'])
  for (const { usersDir } of [second, third]) expect([...(await currentFiles(usersDir)).keys()]).toEqual(['bob'])
})

it('a job is no success where a proxy could not revoke all tokens, and the others are deployed', async () => {
  const [first, second] = (await startProxies(2)) as [LabNode, LabNode]
  Object.assign(first.behavior, { outcome: 'failed', partly: true })
  const end = await deploy()
  expect([end.state, states(end)]).toEqual(['COMPLETED_FAILED', ['failed', 'applied']])
  expect(await configState(first)).toBe('pending')
  // What the agent left is done at its next check, each minute; a start has one as well.
  Object.assign(first.behavior, { outcome: 'applied', partly: false, completed: true })
  await first.stop()
  await first.start()
  await expect.poll(() => revocations(first), { timeout: 60_000 }).toBe(1)
  expect([await configState(first), await revocations(second)]).toEqual(['synced', 0])
})
