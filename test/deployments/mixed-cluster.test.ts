import type { Job, PendingChanges } from '@roost/api-types/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { currentFiles, startedGenerations } from '../support/gateway/folder-applier.js'
import { runLabCli } from '../support/gateway/lab-cli.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
const { get, post, remove } = server
const keystone = 'authenticates with Keystone'

let id = 0
let cluster = ''
let proxies: [LabNode, LabNode, LabNode]
beforeEach(async () => {
  id = await addCluster(server.api.database)
  cluster = `/api/v1/clusters/${id}/`
  const add = () => addLabNode(server.api.controlPlane, server.api.database, id, { runsProxy: true })
  proxies = [await add(), await add(), await add()]
  await Promise.all(proxies.map((node) => node.start()))
  return async () => void (await Promise.all(proxies.map((node) => node.remove())))
})

const run = async (body: object): Promise<Job> =>
  waitForJob(get, (await post('/api/v1/user_db_deployments/', body)).body)
const states = ({ targets }: Job) => targets.map((target) => ['node' in target && target.node, target.state])
const addUser = async (user: string): Promise<string> =>
  (await post('/api/v1/users/', { cluster, user, password: 'correct-horse-battery' })).body.resource_uri
const pending = async (): Promise<PendingChanges['changes']> => (await get(`${cluster}pending/`)).body.changes
const configState = async ({ uri }: LabNode) => (await get(uri)).body.config_state
const failures = async (): Promise<readonly string[]> =>
  (await get(`${cluster}health/`)).body.reasons
    .filter(({ code }: { code: string }) => code === 'deployment_failed')
    .map(({ message }: { message: string }) => message)

/** The agent reports it, and it is stored. */
async function setProxy(node: LabNode, authentication: Parameters<LabNode['setProxy']>[0]): Promise<void> {
  node.setProxy(authentication)
  const stored = async () => (await get(node.uri)).body.proxy_authentication
  await expect.poll(stored, { timeout: 60_000 }).toBe(authentication ?? null)
}

describe('a proxy on Keystone in a cluster with proxies of tempauth', () => {
  it('is left out of deployments to the cluster, which say so, and of what is asked of it since', async () => {
    const [first, second, third] = proxies
    await addUser('alice')
    first.behavior.outcome = 'failed'
    expect(states(await run({ cluster }))).toEqual(proxies.map(({ uri }) => [uri, 'failed']))
    expect(await failures()).toHaveLength(1)
    await setProxy(first, 'keystone')
    await setProxy(second, 'tempauth')

    expect(await pending()).toMatchObject([{ name: 'alice', nodes: [second.uri, third.uri] }])
    const planned = await run({ cluster, dry_run: true })
    expect(planned.left_out).toEqual([{ node: first.uri, message: keystone }])
    expect(planned.plan?.nodes.map(({ node }) => node)).toEqual([second.uri, third.uri])
    expect(await failures()).toHaveLength(1)

    const job = await run({ cluster, plan_id: planned.plan?.plan_id })
    expect([job.state, job.message]).toEqual(['COMPLETED_SUCCESS', ''])
    expect(states(job)).toEqual([
      [second.uri, 'applied'],
      [third.uri, 'applied'],
    ])
    expect(job.left_out).toEqual([{ node: first.uri, message: keystone }])
    const { hostname } = (await get(first.uri)).body
    const roost = async (...args: readonly string[]) => (await runLabCli(server.api, first, args)).stdout
    expect(await roost('job', 'show', job.id)).toMatch(new RegExp(`\nLeft out: ${hostname} ${keystone}\\.\n$`))
    expect(await roost('deploy', 'users', '--cluster', String(id), '--plan-only')).toContain(
      `Left out: ${hostname} ${keystone}.`,
    )
    expect(await roost('node', 'show', String(first.id))).toMatch(/^PROXY +keystone$/m)
    expect([await pending(), await failures(), await configState(first)]).toEqual([[], [], 'unknown'])

    await first.stop()
    await first.start()
    await expect.poll(async () => (await get(first.uri)).body.state).toBe('online')
    expect(await startedGenerations(first.usersDir)).toEqual([1])
    expect([await failures(), await configState(first)]).toEqual([[], 'unknown'])
  })

  it('is a target of a deployment to this node, which fails there', async () => {
    const [first] = proxies
    await setProxy(first, 'other')
    first.behavior.outcome = 'failed'
    const job = await run({ node: first.uri })
    expect([job.state, states(job), job.left_out]).toEqual(['COMPLETED_FAILED', [[first.uri, 'failed']], []])
    expect(await failures()).toHaveLength(1)
    expect((await run({ cluster })).left_out).toEqual([
      { node: first.uri, message: 'authenticates with neither tempauth nor Keystone' },
    ])
    expect(await failures()).toEqual([])
  })

  it('gets the users of now with the first deployment after its return to tempauth', async () => {
    const [first] = proxies
    const alice = await addUser('alice')
    await run({ cluster })
    await setProxy(first, 'keystone')
    await remove(alice)
    await addUser('bob')
    expect((await run({ cluster })).left_out).toHaveLength(1)
    expect([...(await currentFiles(first.usersDir)).keys()]).toEqual(['alice'])
    expect(await configState(first)).toBe('unknown')

    await setProxy(first, 'tempauth')
    expect(await configState(first)).toBe('pending')
    expect((await pending()).map(({ name, nodes }) => [name, nodes])).toEqual([
      ['bob', [first.uri]],
      ['alice', [first.uri]],
    ])
    const job = await run({ cluster })
    expect([job.state, job.targets.length, job.left_out]).toEqual(['COMPLETED_SUCCESS', 3, []])
    expect([...(await currentFiles(first.usersDir)).keys()]).toEqual(['bob'])
    expect(await configState(first)).toBe('synced')
  })

  it('is a target at once when it has tempauth again, before its agent has reported that', async () => {
    const [first] = proxies
    const alice = await addUser('alice')
    await run({ cluster })
    await setProxy(first, 'keystone')
    expect((await run({ cluster })).left_out).toHaveLength(1)
    await remove(alice)
    first.setProxy('tempauth')
    expect((await pending()).map(({ nodes }) => nodes)).toEqual([proxies.map(({ uri }) => uri)])
    const job = await run({ cluster })
    expect([job.state, job.targets.length, job.left_out]).toEqual(['COMPLETED_SUCCESS', 3, []])
    expect([...(await currentFiles(first.usersDir)).keys()]).toEqual([])
  })

  it('is a target while its agent does not say that it has no tempauth, if it may have users', async () => {
    const [first, second] = proxies
    await setProxy(first, 'keystone')
    await setProxy(second, 'keystone')
    const leftOut = async () => (await run({ cluster, dry_run: true })).left_out.map(({ node }) => node)
    const restart = async (node: LabNode) => {
      await node.stop()
      await node.start({ requests: {} })
    }
    // The stored report is enough for those that never had users.
    for (const node of [first, second]) await restart(node)
    expect(await leftOut()).toEqual([first.uri, second.uri])
    await run({ node: first.uri })
    expect(await leftOut()).toEqual([second.uri])
    // Lines of operators let users in without a deployment.
    const removed = { clusterId: id, source: 'user_test_tester', login: 'test:tester' }
    await server.api.database.prisma.removedAdoption.create({ data: removed })
    expect(await leftOut()).toEqual([])
  })

  it('is asked for users that can be adopted by the same rule', async () => {
    const [first, ...others] = proxies
    await run({ cluster })
    await setProxy(first, 'keystone')
    for (const node of others) {
      await node.stop()
      await node.start({ requests: { proxy_users: async () => ({ users: [] }) } })
    }
    const adoptable = async () => (await get(`${cluster}adoptable_users/`)).status
    expect(await adoptable()).toBe(200)
    await first.stop()
    expect(await adoptable()).toBe(503)
  })

  it('makes a reviewed plan obsolete that was made for it', async () => {
    const planned = await run({ cluster, dry_run: true })
    await setProxy(proxies[1], 'keystone')
    const { status, body } = await post('/api/v1/user_db_deployments/', { cluster, plan_id: planned.plan?.plan_id })
    expect([status, body.error]).toEqual([409, expect.stringContaining('The nodes of the cluster have changed')])
  })
})

describe('a cluster whose proxies are all on Keystone', () => {
  it('has all of them as targets, and a proxy of which nothing is known is one, too', async () => {
    for (const node of proxies) await setProxy(node, 'keystone')
    const job = await run({ cluster, dry_run: true })
    expect([job.targets.length, job.left_out]).toEqual([3, []])
    await setProxy(proxies[2], undefined)
    const mixed = await run({ cluster, dry_run: true })
    expect([states(mixed), mixed.left_out.length]).toEqual([[[proxies[2].uri, 'planned']], 2])
  })
})
