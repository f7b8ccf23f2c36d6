import type { Job, PendingChanges } from '@roost/api-types/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { addCluster, addNode as addNodeRow } from '../support/agents/fleet-rows.js'
import { addLabNode, blockHalfway, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const server = shareApi()
const client = shareClient(server)
const { get, patch, post, remove } = server
const password = 'correct-horse-battery-staple'

let cluster = 0
let nodes: LabNode[]
beforeEach(async () => {
  cluster = await addCluster(server.api.database)
  nodes = []
  return async () => void (await Promise.all(nodes.map((node) => node.remove())))
})

async function addNode(role: Parameters<typeof addLabNode>[3]): Promise<LabNode> {
  const node = await addLabNode(server.api.controlPlane, server.api.database, cluster, role)
  nodes.push(node)
  await node.start()
  return node
}
const addShare = async (node: LabNode, name: string, more: object = {}): Promise<string> => {
  const body = { name, node: node.uri, objectstore_container: name, enabled: true, ...more }
  return (await post('/api/v1/gateway_shares/', body)).body.resource_uri
}
const run = async (list: string, more: object = {}): Promise<Job> =>
  waitForJob(get, (await post(`/api/v1/${list}/`, { cluster, ...more })).body)
const deployShares = (more: object = {}) => run('gateway_deployments', more)
const deployUsers = () => run('user_db_deployments')
const pending = async (): Promise<PendingChanges> => {
  const { status, body, text } = await get(`/api/v1/clusters/${cluster}/pending/`)
  expect(status).toBe(200)
  expect(text).not.toContain('secret-of')
  return body
}
const nothing = () => ({ cluster: `/api/v1/clusters/${cluster}/`, count: 0, changes: [], unknown: [] })

describe('changes that are not deployed', () => {
  it('are none without nodes, and for an unknown cluster 404', async () => {
    expect(await pending()).toEqual(nothing())
    expect((await get('/api/v1/clusters/999999/pending/')).status).toBe(404)
  })

  it('are the shares that were added, changed, disabled and removed since the generation in force', async () => {
    const node = await addNode({ runsGateway: true })
    const [docs, video, old] = [
      await addShare(node, 'docs', { protocol: 'cifs', password: 'secret-of-docs' }),
      await addShare(node, 'video'),
      await addShare(node, 'old'),
    ]
    await addShare(node, 'disabled', { enabled: false })
    const added = { type: 'share', kind: 'gateway', change: 'added', fields: [], nodes: [node.uri] }
    expect(await pending()).toMatchObject({
      count: 3,
      changes: ['docs', 'video', 'old'].map((name) => ({ ...added, name })),
      unknown: [],
    })
    await deployShares()
    expect(await pending()).toEqual(nothing())

    await patch(docs, { access_mode: 'ro', password: 'other-secret-of-docs' })
    await patch(video, { enabled: false })
    await remove(old)
    await addShare(node, 'new')
    const { count, changes } = await pending()
    expect(count).toBe(4)
    expect(changes).toMatchObject([
      {
        name: 'docs',
        change: 'changed',
        fields: [
          { field: 'access_mode', before: 'rw', after: 'ro' },
          { field: 'password', before: '***', after: '***' },
        ],
      },
      { name: 'new', change: 'added' },
      { name: 'video', change: 'removed' },
      { name: 'old', change: 'removed' },
    ])
    await patch(video, { enabled: true })
    expect((await pending()).changes.map(({ name }) => name)).toEqual(['docs', 'new', 'old'])
  })

  it('stay until the node has them in force', async () => {
    const node = await addNode({ runsGateway: true })
    await addShare(node, 'docs')
    const release = blockHalfway(node)
    const job = (await post('/api/v1/gateway_deployments/', { cluster })).body
    await expect.poll(async () => (await get(job.resource_uri)).body.targets[0].state).toBe('staged')
    expect((await pending()).count).toBe(1)
    release()
    await waitForJob(get, job)
    expect((await pending()).count).toBe(0)
    node.behavior.outcome = 'failed'
    await addShare(node, 'video')
    expect((await deployShares()).state).toBe('COMPLETED_FAILED')
    expect((await pending()).changes).toMatchObject([{ name: 'video', change: 'added' }])
  })

  it('are again there after the return to an earlier generation', async () => {
    const node = await addNode({ runsGateway: true })
    const share = await addShare(node, 'docs')
    await deployShares()
    await patch(share, { access_mode: 'ro' })
    await deployShares()
    await waitForJob(get, (await post('/api/v1/gateway_deployments/', { node: node.uri, generation: 1 })).body)
    expect((await pending()).changes).toMatchObject([{ fields: [{ field: 'access_mode', before: 'rw', after: 'ro' }] }])
  })

  it('of a user count once, with the proxies that do not have them', async () => {
    const [one, other] = [await addNode({ runsProxy: true }), await addNode({ runsProxy: true })]
    const { body: bob } = await post('/api/v1/users/', { cluster, user: 'bob', password })
    expect(await pending()).toMatchObject({
      count: 1,
      changes: [{ type: 'user', kind: 'user_db', name: 'bob', change: 'added', nodes: [one.uri, other.uri] }],
    })
    other.behavior.outcome = 'failed'
    await deployUsers()
    expect((await pending()).changes).toMatchObject([{ name: 'bob', change: 'added', nodes: [other.uri] }])
    other.behavior.outcome = 'applied'
    await deployUsers()
    await patch(bob.resource_uri, { password: 'another-secret-of-bob', is_superuser: true })
    expect((await pending()).changes).toMatchObject([
      {
        name: 'bob',
        change: 'changed',
        fields: [{ field: 'password' }, { field: 'is_superuser', before: false, after: true }],
        nodes: [one.uri, other.uri],
      },
    ])
  })

  it('of a user that differs between proxies are several, and count once', async () => {
    const [one, other] = [await addNode({ runsProxy: true }), await addNode({ runsProxy: true })]
    const { body: bob } = await post('/api/v1/users/', { cluster, user: 'bob', password })
    other.behavior.outcome = 'failed'
    await deployUsers()
    await patch(bob.resource_uri, { is_superuser: true })
    expect(await pending()).toMatchObject({
      count: 1,
      changes: [
        { name: 'bob', change: 'changed', nodes: [one.uri], node_count: 1 },
        { name: 'bob', change: 'added', nodes: [other.uri], node_count: 1 },
      ],
    })
  })

  it('name up to 20 nodes each, with the number of all', async () => {
    const proxies: string[] = []
    while (proxies.length < 22) {
      const id = await addNodeRow(server.api.database, cluster, { role: { create: { runsProxy: true } } })
      proxies.push(`/api/v1/nodes/${id}/`)
    }
    await post('/api/v1/users/', { cluster, user: 'bob', password })
    expect((await pending()).changes).toMatchObject([{ name: 'bob', nodes: proxies.slice(0, 20), node_count: 22 }])
  })

  it('have no users where these are in Keystone', async () => {
    await addNode({ runsProxy: true })
    await post('/api/v1/users/', { cluster, user: 'bob', password })
    const login = {
      authUrl: 'http://keystone.example/v3',
      user: 'roost',
      key: new Uint8Array(1),
      domain: 'roost',
      role: 'member',
      resellerRole: 'ResellerAdmin',
    }
    await server.api.database.prisma.identityService.create({ data: { clusterId: cluster, ...login } })
    expect(await pending()).toEqual(nothing())
  })

  it('are those of the nodes to which a deployment of the cluster goes', async () => {
    const node = await addNode({ runsGateway: true })
    await addShare(node, 'docs')
    await patch(node.uri, { enabled: false })
    expect(await pending()).toEqual(nothing())
    await patch(node.uri, { enabled: true })
    expect((await pending()).count).toBe(1)
    await patch(node.uri, { node_role: { runs_gateway: false } })
    expect(await pending()).toEqual(nothing())
  })

  it('name a node that cannot be compared, with the reason of its plan', async () => {
    const [lost, fine] = [await addNode({ runsGateway: true }), await addNode({ runsGateway: true })]
    const share = await addShare(lost, 'docs', { protocol: 'cifs', password: 'secret-of-docs' })
    await addShare(fine, 'video')
    await deployShares()
    await addShare(fine, 'more')
    const { prisma } = server.api.database
    const sealed = Uint8Array.from([1, 0xde, 0xad, 0xbe, 0xef, ...Array.from({ length: 60 }, () => 0)])
    await prisma.gatewayShare.update({ where: { id: Number(share.split('/').at(-2)) }, data: { password: sealed } })
    const { unknown, changes } = await pending()
    expect(changes).toMatchObject([{ name: 'more' }])
    const planned = await deployShares({ dry_run: true })
    const reason = planned.targets.map((target) => target.message).find((message) => message.includes('deadbeef'))
    expect(unknown).toEqual([{ node: lost.uri, kind: 'gateway', reason }])

    await patch(share, { password: 'new-secret-of-docs' })
    await prisma.generation.deleteMany({ where: { nodeId: lost.id } })
    expect((await pending()).unknown).toEqual([
      { node: lost.uri, kind: 'gateway', reason: 'Generation 1 of this node is no longer stored.' },
    ])
  })

  it('are at most 1,000 in an answer, with the number of all', async () => {
    await addNode({ runsProxy: true })
    const { prisma } = server.api.database
    const data = Array.from({ length: 1_001 }, (_, i) => {
      const name = `user-${i}`
      const keys = { nameKey: name, lineKey: name }
      return { clusterId: cluster, name, ...keys, password: null, isSuperuser: false, enabled: true }
    })
    await prisma.user.createMany({ data })
    const { count, changes } = await pending()
    expect([count, changes.length]).toEqual([1_001, 1_000])
  })

  it('are the same by tRPC, also for readers', async () => {
    await addShare(await addNode({ runsGateway: true }), 'docs')
    const authorization = `apikey ${await server.api.addOperator({ role: 'read_only' })}`
    const { body } = await get(`/api/v1/clusters/${cluster}/pending/`, { authorization })
    expect(body.count).toBe(1)
    expect(await client.rpc.gatewayShares.pending.query({ cluster })).toEqual(body)
    await expect(client.rpc.gatewayShares.pending.query({ cluster: 999_999 })).rejects.toMatchObject({
      data: { code: 'NOT_FOUND' },
    })
  })
})

it('what is not deployed is what a plan would change, whatever operators do', async () => {
  const node = await addNode({ runsGateway: true })
  const uris = new Map<string, string>()
  const steps: readonly (() => Promise<unknown>)[] = [
    async () => uris.set('a', await addShare(node, 'a')),
    async () => uris.set('b', await addShare(node, 'b')),
    () => deployShares(),
    () => patch(uris.get('a') ?? '', { access_mode: 'ro' }),
    () => patch(uris.get('b') ?? '', { name: 'renamed' }),
    async () => uris.set('c', await addShare(node, 'c', { enabled: false })),
    () => patch(uris.get('c') ?? '', { enabled: true }),
    () => patch(uris.get('a') ?? '', { access_mode: 'rw' }),
    () => deployShares(),
    () => remove(uris.get('b') ?? ''),
    () => patch(uris.get('c') ?? '', { enabled: false }),
    async () => waitForJob(get, (await post('/api/v1/gateway_deployments/', { node: node.uri, generation: 1 })).body),
    () => patch(uris.get('a') ?? '', { name: 'z', access_mode: 'ro' }),
  ]
  const namesOf = { create: 'added', change: 'changed', remove: 'removed' } as const
  let changed = 0
  for (const step of steps) {
    await step()
    const { plan } = await deployShares({ dry_run: true })
    const planned = (plan?.nodes ?? []).flatMap(({ files }) =>
      files.map(({ path, change }) => `${path.replace('share-', '')} ${namesOf[change]}`),
    )
    const { count, changes } = await pending()
    expect(changes.map(({ id, change }) => `${id} ${change}`).toSorted()).toEqual(planned.toSorted())
    expect(count).toBe(planned.length)
    changed += planned.length
  }
  expect(changed).toBeGreaterThan(10)
})
