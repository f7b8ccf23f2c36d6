import type { DesiredState, ServerMessage } from '@roost/api-types/agent'
import type { Job } from '@roost/api-types/rest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testCaller } from '../support/agents/enrollment.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { currentFiles, folderApplier } from '../support/gateway/folder-applier.js'
import { useApi } from '../support/http/shared-api.js'

const canary = 'S3CR3T-of-a-role-0123456789'

const api = await useApi()

let clusterId = 0
let cluster = ''
let lab: LabNode | undefined
let agent: SimulatedAgent | undefined
beforeEach(async () => {
  clusterId = await addCluster(api.database)
  cluster = `/api/v1/clusters/${clusterId}/`
  lab = undefined
  agent = undefined
})
afterEach(async () => {
  agent?.stop('terminate')
  await lab?.remove()
})

const get = (path: string) => api.get(path)
async function post(path: string, body: object, status = 201): Promise<ReturnType<typeof JSON.parse>> {
  const answer = await api.call(path, { method: 'POST', body })
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)])
  return answer.body
}
const patch = async (path: string, body: object) => {
  const answer = await api.patch(path, body)
  expect([answer.status, answer.text]).toEqual([202, expect.any(String)])
  return answer.body
}
const deployed = async (list: string, body: object): Promise<Job> => waitForJob(get, await post(list, body))
const gateways = '/api/v1/gateway_deployments/'
const userDb = '/api/v1/user_db_deployments/'

/** A share with a password on the node, a user, and the storage login of the cluster. */
async function addSecrets(node: string) {
  const share = { name: 'docs', node, protocol: 'cifs', objectstore_container: 'docs', enabled: true, password: canary }
  const user = await post('/api/v1/users/', { cluster, user: 'bob', password: canary })
  const login = { auth_url: 'http://127.0.0.1:8080/auth/v1.0', user: 'a:b', key: canary }
  await api.context.services.clusterStorage.set(clusterId, login, testCaller)
  return { user, share: await post('/api/v1/gateway_shares/', share) }
}

describe('a node that claims to be a gateway and a proxy', () => {
  let uri = ''
  const heard: ServerMessage[] = []
  beforeEach(async () => {
    heard.length = 0
    const [identity] = await insertNodes(api.database, clusterId, 1)
    if (identity === undefined) throw new Error('No node was inserted.')
    uri = `/api/v1/nodes/${identity.id}/`
    const inventory = simulatedInventory('claimant')
    agent = new SimulatedAgent({
      url: api.url,
      ca: api.ca,
      identity,
      inventory: { ...inventory, roles: { ...inventory.roles, runs_gateway: true, runs_proxy: true } },
      onMessage: (message) => heard.push(message),
    })
    agent.dial()
    await agent.until(({ acknowledged }) => acknowledged > 0)
  })

  it('shows it at once, with what waits for an operator', async () => {
    expect((await get(uri)).body).toMatchObject({
      node_role: { runs_gateway: true, runs_proxy: true },
      roles_granted: [],
      state_detail:
        'Claims the role gateway and proxy, which no operator has approved. Run `roost node approve claimant`.',
    })
  })

  it('gets no password, not even to plan, before an operator approves the role', async () => {
    await addSecrets(uri)
    for (const list of [gateways, userDb])
      for (const dry_run of [false, true]) {
        const { node } = (await post(list, { node: uri, dry_run }, 400))[list.split('/')[3] ?? '']
        expect(node).toEqual([expect.stringContaining('No operator has approved this node as a')])
        const job = await deployed(list, { cluster, dry_run })
        expect(job).toMatchObject({ state: 'COMPLETED_FAILED', targets: [] })
      }
    expect(JSON.stringify(heard)).not.toContain(canary)
    const { roles_granted, state_detail } = await patch(uri, { node_role: { runs_proxy: true } })
    expect(roles_granted).toEqual(['runs_proxy'])
    expect(state_detail).toContain('Claims the role gateway,')
    await post(userDb, { node: uri })
    await agent?.until(() => JSON.stringify(heard).includes(canary))
    const kinds = heard.flatMap((message) =>
      message.type === 'desired' ? [(message.desired as DesiredState).kind] : [],
    )
    expect(new Set(kinds)).toEqual(new Set(['user_db']))
  })

  it('is not approved by a client that sends a complete record back', async () => {
    const { body: record } = await get(uri)
    expect((await patch(uri, { ...record, enabled: false })).roles_granted).toEqual([])
    const many = await patch('/api/v1/nodes/', { objects: [{ ...record, enabled: true }] })
    expect(many.objects[0].roles_granted).toEqual([])
    expect((await api.patch(uri, { roles_granted: ['runs_gateway'] })).status).toBe(400)
    const approved = await patch('/api/v1/nodes/', {
      objects: [{ resource_uri: uri, node_role: { runs_gateway: true, runs_proxy: true } }],
    })
    expect(approved.objects[0]).toMatchObject({ roles_granted: ['runs_gateway', 'runs_proxy'], state_detail: null })
  })
})

describe('a role that is revoked', () => {
  it('is audited, names the passwords that the node has received, and takes no further deployment', async () => {
    lab = await addLabNode(api.controlPlane, api.database, clusterId, { runsGateway: true, runsProxy: true })
    const { uri, id } = lab
    await lab.start()
    const { share, user } = await addSecrets(uri)
    expect((await deployed(gateways, { node: uri })).state).toBe('COMPLETED_SUCCESS')
    expect((await deployed(userDb, { node: uri })).state).toBe('COMPLETED_SUCCESS')
    const plan = await deployed(gateways, { node: uri, dry_run: true })
    const answer = await patch(uri, { node_role: { runs_gateway: false } })
    expect(answer).toMatchObject({ roles_granted: ['runs_proxy'], node_role: { runs_gateway: false } })
    expect(answer.passwords_to_rotate).toEqual([share.resource_uri, cluster])
    const both = await patch(uri, { node_role: { runs_proxy: false } })
    expect(both.passwords_to_rotate).toEqual([user.resource_uri])
    expect((await get(uri)).body).not.toHaveProperty('passwords_to_rotate')
    const events = await api.database.prisma.auditEvent.findMany({ where: { resource: 'nodes', resourceId: id } })
    expect(events.map(({ changes }) => (changes as { roles_granted?: unknown }).roles_granted)).toEqual([
      [['runs_gateway', 'runs_proxy'], ['runs_proxy']],
      [['runs_proxy'], []],
    ])
    for (const more of [{}, { generation: 1 }, { plan_id: plan.plan?.plan_id }])
      await post(gateways, { node: uri, ...more }, more.plan_id === undefined ? 400 : 409)
  })

  it('fails the targets of a running job, and is sent what waited once it is granted again', async () => {
    lab = await addLabNode(api.controlPlane, api.database, clusterId, { runsGateway: true })
    const { uri, dir } = lab
    await addSecrets(uri)
    const { resource_uri: job } = await post(gateways, { node: uri })
    await expect.poll(async () => (await get(job)).body.targets[0].generation).toBe(1)
    await patch(uri, { node_role: { runs_gateway: false } })
    await lab.start()
    const end = await waitForJob(get, (await get(job)).body)
    expect(end).toMatchObject({
      state: 'COMPLETED_FAILED',
      message: expect.stringContaining('No operator has approved this node as a gateway.'),
    })
    expect(await currentFiles(dir)).toEqual(new Map())
    await patch(uri, { node_role: { runs_gateway: true } })
    await expect.poll(async () => (await get(uri)).body.config_state, { timeout: 60_000 }).toBe('synced')
    expect((await currentFiles(dir)).size).toBeGreaterThan(0)
  })
})

describe('a gateway without enabled shares', () => {
  it('gets no storage login', async () => {
    lab = await addLabNode(api.controlPlane, api.database, clusterId)
    const { gateway } = seenBy(lab)
    await lab.start({ appliers: { gateway } })
    const { share } = await addSecrets(lab.uri)
    await deployed(gateways, { node: lab.uri })
    await patch(share.resource_uri, { enabled: false })
    await deployed(gateways, { node: lab.uri })
    expect(gateway.logins).toEqual([canary, undefined])
  })
})

/** An applier that remembers the key of the storage login in each state. */
function seenBy({ dir }: LabNode) {
  const own = folderApplier('gateway', dir)
  const logins: (string | undefined)[] = []
  const apply: typeof own.apply = (desired, ...more) => {
    logins.push(desired.storage?.key)
    return own.apply(desired, ...more)
  }
  return { gateway: { ...own, apply, logins } }
}
