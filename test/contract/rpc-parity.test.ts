import { byNames } from '@roost/api-types'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const password = 'correct-horse-battery-staple'
const server = shareApi()
const client = shareClient(server)
let cluster = 0
beforeEach(async () => {
  cluster = await addCluster(server.api.database)
})

const stale = { data: { code: 'PRECONDITION_FAILED', httpStatus: 412 } }

describe('a condition', () => {
  it('is the ETag of REST', async () => {
    const { users, nodes } = client.rpc
    const { id, resource_uri: uri } = await users.create.mutate({ cluster, user: 'bob', password })
    const { body, headers } = await server.get(uri)
    expect(await users.getWithEtag.query({ id })).toEqual({ record: body, etag: headers['etag'] })
    const node = await addNode(server.api.database, cluster)
    const seen = await server.get(`/api/v1/nodes/${node}/`)
    expect((await nodes.getWithEtag.query({ id: node })).etag).toBe(seen.headers['etag'])
    await expect(users.getWithEtag.query({ id: 999_999 })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  })

  it('that no longer matches refuses a change and a removal', async () => {
    const { users } = client.rpc
    const { id } = await users.create.mutate({ cluster, user: 'bob', password })
    const { etag } = await users.getWithEtag.query({ id })
    await users.change.mutate({ id, change: { enabled: false }, if_match: etag })
    await expect(users.change.mutate({ id, change: { enabled: true }, if_match: etag })).rejects.toMatchObject(stale)
    await expect(users.remove.mutate({ id, if_match: etag })).rejects.toMatchObject(stale)
    const { record, etag: now } = await users.getWithEtag.query({ id })
    expect(record.enabled).toBe(false)
    await users.remove.mutate({ id, if_match: now })
    await expect(users.get.query({ id })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  })

  it('holds for shares and for the removal of a node, forced or not', async () => {
    const { gatewayShares, nodes } = client.rpc
    const node = await server.addGateway(cluster)
    const { id } = await gatewayShares.create.mutate({ node, name: 'docs', objectstore_container: 'c' })
    const { etag } = await gatewayShares.getWithEtag.query({ id })
    await gatewayShares.change.mutate({ id, change: { name: 'papers' } })
    await expect(gatewayShares.remove.mutate({ id, if_match: etag })).rejects.toMatchObject(stale)
    await gatewayShares.remove.mutate({ id })
    const seen = await nodes.getWithEtag.query({ id: node })
    await nodes.change.mutate({ id: node, change: { enabled: false } })
    const removal = { id: node, if_match: seen.etag }
    for (const force of [false, true])
      await expect(nodes.remove.mutate({ ...removal, force })).rejects.toMatchObject(stale)
    await nodes.remove.mutate({ id: node, if_match: '*' })
    expect((await server.get(`/api/v1/nodes/${node}/`)).status).toBe(404)
  })
})

describe('a list', () => {
  it('is filtered by a relation as an id and as a URI, and by several values', async () => {
    const { users } = client.rpc
    const other = await addCluster(server.api.database)
    for (const [at, user] of [
      [cluster, 'bob'],
      [other, 'carol'],
    ] as const)
      await users.create.mutate({ cluster: at, user, password })
    const namesOf = async (filter: { cluster: string | number | (string | number)[] }) =>
      (await users.list.query({ filters: filter, order_by: ['-user'] })).objects.map(({ user }) => user)
    for (const one of [cluster, `/api/v1/clusters/${cluster}/`])
      expect(await namesOf({ cluster: one })).toEqual(['bob'])
    expect(await namesOf({ cluster: [`/api/v1/clusters/${other}/`, cluster] })).toEqual(['carol', 'bob'])
    await expect(namesOf({ cluster: '/api/v1/nodes/1/' })).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
  })

  it('has only the names and values of its resource, also for the compiler', async () => {
    const { users } = client.rpc
    const refused = { data: { code: 'BAD_REQUEST' } }
    // @ts-expect-error: no filter of users.
    await expect(users.list.query({ filters: { hostname: 'store-1' } })).rejects.toMatchObject(refused)
    // @ts-expect-error: an id is a number.
    await expect(users.list.query({ filters: { id: 'x' } })).rejects.toMatchObject(refused)
    // @ts-expect-error: users are not ordered by it.
    await expect(users.list.query({ order_by: ['-password'] })).rejects.toMatchObject(refused)
    await expect(users.list.query(byNames({ order_by: ['-password'] }))).rejects.toMatchObject(refused)
  })
})

it('several records are read in the order asked, without those that do not exist', async () => {
  const { users } = client.rpc
  const made = []
  for (const user of ['a', 'b', 'c']) made.push(await users.create.mutate({ cluster, user, password }))
  const [a, , c] = made.map(({ id }) => id) as [string, string, string]
  const ids = [c, 999_999, Number(a)]
  const { body } = await server.get(`/api/v1/users/set/${ids.join(';')}/`)
  expect(body.objects.map((user: { id: string }) => user.id)).toEqual([c, a])
  expect(await users.getMany.query({ ids })).toEqual(body.objects)
  expect(await users.getMany.query({ ids: [] })).toEqual([])
  const tooMany = Array.from({ length: 1001 }, (_, i) => i + 1)
  await expect(users.getMany.query({ ids: tooMany })).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
})

describe('an idempotency_key', () => {
  const keyReused = { data: { code: 'UNPROCESSABLE_CONTENT', httpStatus: 422 } }

  it('lets a create run once: the same input again gets the first answer, with its password', async () => {
    const { users } = client.rpc
    const input = { cluster, user: 'once', password, idempotency_key: `users-${cluster}` }
    const first = await users.create.mutate(input)
    expect(first).toMatchObject({ user: 'once', password })
    expect(await users.create.mutate(input)).toEqual(first)
    expect((await users.list.query({ filters: { cluster } })).total).toBe(1)
    await expect(users.create.mutate({ ...input, user: 'other' })).rejects.toMatchObject(keyReused)
    const { objects } = (await server.get(`/api/v1/audit_events/?resource=users&resource_id=${first.id}`)).body
    expect(objects).toMatchObject([{ action: 'create' }])
    const kept = await server.api.database.prisma.idempotencyKey.findFirstOrThrow({
      where: { key: input.idempotency_key },
    })
    expect(JSON.stringify(kept)).not.toContain(password)
  })

  it('lets many creates at once run once', async () => {
    const { users } = client.rpc
    const input = { cluster, user: 'many', password, idempotency_key: `many-${cluster}` }
    const calls = await Promise.allSettled(Array.from({ length: 8 }, () => users.create.mutate(input)))
    const failed = calls.flatMap((call) => (call.status === 'rejected' ? [call.reason as unknown] : []))
    for (const error of failed) expect(error).toMatchObject({ data: { code: 'CONFLICT' } })
    expect(failed.length).toBeLessThan(8)
    expect((await users.list.query({ filters: { cluster } })).total).toBe(1)
  })

  it('is of its procedure and operator alone, and must be printable', async () => {
    const { users, clusters } = client.rpc
    const idempotency_key = `scope-${cluster}`
    await users.create.mutate({ cluster, user: 'a', password, idempotency_key })
    const made = await clusters.create.mutate({ name: `scope-${cluster}`, idempotency_key })
    expect(await clusters.create.mutate({ name: `scope-${cluster}`, idempotency_key })).toEqual(made)
    for (const wrong of ['', 'a b', 'x'.repeat(256), 'a\0'])
      await expect(users.create.mutate({ cluster, user: 'b', password, idempotency_key: wrong })).rejects.toMatchObject(
        { data: { code: 'BAD_REQUEST' } },
      )
    expect((await users.list.query({ filters: { cluster } })).total).toBe(1)
  })

  it('lets a job be canceled once', async () => {
    const { userDbDeployments } = client.rpc
    // One after the other: the second proxy has not begun while the first, which is connected, does not answer.
    const { database, url, ca } = server.api
    const [identity] = await insertNodes(database, cluster, 2)
    if (identity === undefined) throw new Error('No node was inserted.')
    const ofCluster = { clusterId: cluster }
    await database.prisma.node.updateMany({ where: ofCluster, data: { rolesGranted: ['runs_proxy'] } })
    await database.prisma.nodeRole.updateMany({ where: { node: ofCluster }, data: { runsProxy: true } })
    const agent = new SimulatedAgent({ url, ca, identity })
    onTestFinished(() => agent.stop())
    agent.dial()
    await agent.until(({ welcomed }) => welcomed === 1)
    const { id } = await userDbDeployments.create.mutate({ cluster })
    const input = { id, idempotency_key: `cancel-${id}` }
    const canceled = await userDbDeployments.cancel.mutate(input)
    expect(await userDbDeployments.cancel.mutate(input)).toEqual(canceled)
    await expect(userDbDeployments.cancel.mutate({ id })).rejects.toMatchObject({ data: { code: 'CONFLICT' } })
  })
})

describe('a change of several nodes', () => {
  const twoNodes = async () =>
    [await addNode(server.api.database, cluster), await addNode(server.api.database, cluster)] as const
  const enabled = async (...ids: readonly number[]) =>
    (await client.rpc.nodes.getMany.query({ ids: [...ids] })).map((node) => node.enabled)

  it('answers the changed nodes in the order given, with one audit event', async () => {
    const [one, two] = await twoNodes()
    const changed = await client.rpc.nodes.changeMany.mutate({
      changes: [
        { id: two, change: { enabled: false } },
        { id: String(one), change: { cluster_facing_ip: '10.7.0.1' } },
      ],
    })
    expect(changed).toEqual(await client.rpc.nodes.getMany.query({ ids: [two, one] }))
    expect(changed).toMatchObject([
      { id: two, enabled: false },
      { id: one, cluster_facing_ip: '10.7.0.1' },
    ])
    const { body } = await server.get('/api/v1/audit_events/?resource=nodes&order_by=-id&limit=1')
    expect(Object.keys(body.objects[0].changes)).toEqual([String(one), String(two)])
  })

  it('is refused as one by a condition, a fault, an unknown node or one that comes twice', async () => {
    const [one, two] = await twoNodes()
    const { changeMany, getWithEtag, change } = client.rpc.nodes
    const { etag } = await getWithEtag.query({ id: two })
    await change.mutate({ id: two, change: { cluster_facing_ip: '10.7.0.2' } })
    const off = { enabled: false }
    const many = (second: object) => changeMany.mutate({ changes: [{ id: one, change: off }, second as never] })
    await expect(many({ id: two, change: off, if_match: etag })).rejects.toMatchObject(stale)
    await expect(many({ id: two, change: { cluster_facing_ip: 'x' } })).rejects.toMatchObject({
      data: {
        code: 'BAD_REQUEST',
        fields: { changes: ['Element 1 cluster_facing_ip: Enter an IPv4 or IPv6 address.'] },
      },
    })
    await expect(many({ id: 999_999, change: off })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
    await expect(many({ id: String(one), change: off })).rejects.toMatchObject({
      data: { fields: { changes: ['A node appears twice.'] } },
    })
    expect(await enabled(one, two)).toEqual([true, true])
    const { etag: now } = await getWithEtag.query({ id: two })
    await many({ id: two, change: off, if_match: now })
    expect(await enabled(one, two)).toEqual([false, false])
  })
})

it('an offset beyond every id is an empty page, as in REST', async () => {
  const offset = Number.MAX_SAFE_INTEGER
  const { users, utilization } = client.rpc
  await users.create.mutate({ cluster, user: 'bob', password })
  const { body } = await server.get(`/api/v1/users/?cluster=${cluster}&offset=${offset}`)
  expect(body).toMatchObject({ meta: { total_count: 1 }, objects: [] })
  expect(await users.list.query({ filters: { cluster }, offset })).toEqual({ objects: [], total: 1 })
  const range = { id: cluster, start: '2026-01-01', offset }
  expect(await utilization.transfer.ofAccounts.query(range)).toEqual({ objects: [], total: 0 })
})
