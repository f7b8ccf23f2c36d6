import { beforeEach, describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const server = shareApi()
const client = shareClient(server)
const { get, post, patch, remove } = server
const password = 'correct-horse-battery-staple'
let cluster = 0
let node = 0
beforeEach(async () => {
  cluster = await addCluster(server.api.database)
  node = await addNode(server.api.database, cluster, { role: { create: { runsGateway: true, runsProxy: true } } })
})

const events = () => server.api.database.prisma.auditEvent.count()
const ofCluster = (path = '') => `/api/v1/clusters/${cluster}/${path}`
const user = (name: string) => ({ cluster: ofCluster(), user: name, password })
const checked = '?validate=1'

/** Runs what is only checked; it must leave no audit event. */
async function unaudited<T>(run: () => Promise<T>): Promise<T> {
  const before = await events()
  const answer = await run()
  expect(await events()).toBe(before)
  return answer
}

describe('a write with ?validate=1', () => {
  it('gets the answer of the write, but for the id', async () => {
    const answer = await unaudited(() => post(`/api/v1/users/${checked}`, user('bob')))
    const made = await post('/api/v1/users/', user('bob'))
    expect([answer.status, made.status]).toEqual([201, 201])
    const { id: _id, resource_uri: _uri, ...fields } = answer.body
    expect(made.body).toMatchObject({ ...fields, user: 'bob', password })
  })

  it('is refused as the write would be: field by field, by a name that another one has, by an ETag that is old', async () => {
    const uri = (await post('/api/v1/users/', user('bob'))).body.resource_uri as string
    const stale = { 'if-match': '"of-another-time"' }
    const pairs = await unaudited(async () => [
      [await post(`/api/v1/users/${checked}`, { user: '-' }), await post('/api/v1/users/', { user: '-' })],
      [await post(`/api/v1/users/${checked}`, user('BOB')), await post('/api/v1/users/', user('BOB'))],
      [await patch(`${uri}${checked}`, { enabled: 3 }), await patch(uri, { enabled: 3 })],
      [await remove(`${uri}${checked}`, stale), await remove(uri, stale)],
    ])
    expect(pairs.map(([one]) => one?.status)).toEqual([400, 400, 400, 412])
    for (const [one, other] of pairs) expect(one?.body).toEqual(other?.body)
  })

  it('changes and removes nothing', async () => {
    const uri = (await post('/api/v1/users/', user('bob'))).body.resource_uri as string
    const before = (await get(uri)).body
    await unaudited(async () => {
      const answer = await patch(`${uri}${checked}`, { enabled: false })
      expect([answer.status, answer.body.enabled]).toEqual([202, false])
      expect((await remove(`${uri}${checked}`)).status).toBe(204)
    })
    expect((await get(uri)).body).toEqual(before)
  })

  it('is no write only for 1: 0 writes, and another value is refused', async () => {
    const answers = [await post('/api/v1/users/?validate=0', user('zero')), await post('/api/v1/users/', user('none'))]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    const { status, body } = await unaudited(() => post('/api/v1/users/?validate=yes', user('yes')))
    expect([status, body]).toEqual([400, { error: "Invalid validate 'yes' provided. Please provide 1 or 0." }])
  })

  it('is not permitted to an operator who may only read', async () => {
    const headers = { authorization: `apikey ${await server.api.addOperator({ role: 'read_only' })}` }
    expect((await post(`/api/v1/users/${checked}`, user('bob'), headers)).status).toBe(403)
  })

  it('uses up no Idempotency-Key, and does not answer for one', async () => {
    const headers = { 'idempotency-key': `checked-${cluster}` }
    await post(`/api/v1/users/${checked}`, user('bob'), headers)
    const made = await post('/api/v1/users/', user('carol'), headers)
    expect([made.status, made.body.user]).toEqual([201, 'carol'])
    expect((await unaudited(() => post(`/api/v1/users/${checked}`, user('dave'), headers))).body.user).toBe('dave')
  })

  it('starts no deployment and cancels none', async () => {
    const answer = await unaudited(() => post(`/api/v1/gateway_deployments/${checked}`, { cluster: ofCluster() }))
    expect([answer.status, answer.body.state]).toEqual([201, 'QUEUED'])
    expect((await get(`/api/v1/gateway_deployments/?cluster=${cluster}&state=QUEUED`)).body.objects).toEqual([])
    const { id } = (await post('/api/v1/gateway_deployments/', { cluster: ofCluster() })).body
    const again = await post(`/api/v1/gateway_deployments/${checked}`, { cluster: ofCluster() })
    expect(again.status).toBe(409)
    await post(`/api/v1/gateway_deployments/${id}/cancel/${checked}`, {})
    expect((await get(`/api/v1/gateway_deployments/${id}/`)).body.finished).toBeNull()
  })

  it('sets and removes no storage login', async () => {
    const login = { auth_url: 'http://swift.example:8080/auth/v1.0', user: 'test:tester', key: 'S3CR3T-of-storage' }
    const path = ofCluster('storage/')
    const answer = await unaudited(() => post(`${path}${checked}`, login))
    expect([answer.status, answer.body.user]).toEqual([202, 'test:tester'])
    expect((await get(path)).status).toBe(404)
    await post(path, login)
    expect((await unaudited(() => remove(`${path}${checked}`))).status).toBe(204)
    expect((await get(path)).status).toBe(200)
  })

  it('asks no gateway to remove leftovers', async () => {
    const share = { name: 'docs', node: `/api/v1/nodes/${node}/`, objectstore_container: 'data' }
    const uri = (await post('/api/v1/gateway_shares/', share)).body.resource_uri as string
    const answer = await unaudited(() => post(`${uri}uploads/${checked}`, { remove_leftovers: true }))
    expect([answer.status, answer.body.error]).toEqual([503, expect.stringContaining('not connected')])
  })
})

describe('a call with validate_only', () => {
  it('creates, changes and removes nothing, and gets the same answers', async () => {
    const { users } = client.rpc
    const input = { cluster, user: 'bob', password, idempotency_key: `rpc-${cluster}` }
    const answer = await unaudited(() => users.create.mutate({ ...input, validate_only: true }))
    const made = await users.create.mutate(input)
    expect({ ...answer, id: made.id, resource_uri: made.resource_uri }).toEqual(made)
    const { id } = made
    await unaudited(async () => {
      const changed = await users.change.mutate({ id, change: { enabled: false }, validate_only: true })
      expect(changed.enabled).toBe(false)
      await users.remove.mutate({ id, validate_only: true })
      const duplicate = users.create.mutate({ ...input, idempotency_key: undefined, validate_only: true })
      await expect(duplicate).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
    })
    expect((await users.get.query({ id })).enabled).toBe(true)
  })

  it('removes no node, and changes none', async () => {
    const { nodes } = client.rpc
    await unaudited(async () => {
      const change = { enabled: false }
      const [one] = await nodes.changeMany.mutate({ changes: [{ id: node, change }], validate_only: true })
      const other = await nodes.change.mutate({ id: node, change, validate_only: true })
      expect([one?.enabled, other.enabled]).toEqual([false, false])
      await nodes.remove.mutate({ id: node, force: true, validate_only: true })
    })
    expect((await nodes.get.query({ id: node })).enabled).toBe(true)
  })

  it('makes no token, no operator and no key, and revokes none', async () => {
    const { tokens, operators, apiKeys } = client.rpc
    const before = [await tokens.list.query(), await operators.list.query({}), await apiKeys.list.query({})]
    await unaudited(async () => {
      expect((await tokens.create.mutate({ cluster, validate_only: true })).lines[0]).toContain('roost-agent enroll')
      const name = `reader-${cluster}`
      expect((await operators.create.mutate({ name, role: 'read_only', validate_only: true })).name).toBe(name)
      const [key] = (await apiKeys.list.query({})).objects
      const id = key?.id ?? 0
      expect((await apiKeys.rotate.mutate({ id, rotation: {}, validate_only: true })).credentials).toContain(':')
      expect((await apiKeys.revoke.mutate({ id, validate_only: true })).state).toBe('revoked')
    })
    const masked = (page: unknown) => JSON.stringify(page).replaceAll(/"last_used":[^,}]*/g, '')
    const after = [await tokens.list.query(), await operators.list.query({}), await apiKeys.list.query({})]
    expect(masked(after)).toEqual(masked(before))
  })

  it('is refused where it is no boolean', async () => {
    const call = () => client.rpc.users.create.mutate({ cluster, user: 'bob', password, validate_only: 'yes' as never })
    await unaudited(() => expect(call()).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } }))
  })
})
