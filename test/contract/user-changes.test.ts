import { describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { testCaller } from '../support/agents/enrollment.js'
import { faults, list, password, usersApi } from './users-api.js'

const { server, at, bob, create } = usersApi()
const { get, patch, post, remove } = server

const namesOf = async (query: string) => {
  const { body } = await get(`/api/v1/users/?cluster=${at.clusterId}&${query}`)
  return body.objects.map(({ user }: { user: string }) => user)
}

describe('reading a user', () => {
  it('never shows the password, in a detail, a list or a set', async () => {
    const { resource_uri: uri, id, password: _, s3_access_key: _key, ...rest } = await create()
    const record = { id, resource_uri: uri, ...rest }
    expect((await get(uri)).body).toEqual(record)
    expect((await get(`/api/v1/users/?cluster=${at.clusterId}`)).body.objects).toEqual([record])
    expect((await get(`/api/v1/users/set/${id};999999/`)).body).toEqual({
      objects: [record],
      not_found: ['999999'],
    })
  })

  it('works with and without the slash at the end', async () => {
    const { resource_uri: uri } = await create()
    expect((await get(uri.slice(0, -1))).status).toBe(200)
  })

  it.each(['999999', '0', '-1', 'x', '99999999999', '1.5'])('answers 404 for the id %s', async (id) => {
    expect((await get(`/api/v1/users/${id}/`)).status).toBe(404)
  })
})

describe('listing users', () => {
  it('gives those of all clusters, and with cluster= those of one', async () => {
    await create()
    await create({ cluster: await addCluster(server.api.database) })
    const all = await get('/api/v1/users/')
    expect(all.body.meta.total_count).toBeGreaterThan(1)
    for (const given of [String(at.clusterId), at.cluster]) {
      const { body } = await get(`/api/v1/users/?cluster=${given}`)
      expect(body.objects.map((user: { cluster: string }) => user.cluster)).toEqual([at.cluster])
      expect(body.meta).toEqual({ limit: 20, offset: 0, next: null, previous: null, total_count: 1 })
    }
  })

  it('filters by user, exactly and by several', async () => {
    await create({ user: 'ann' })
    await create({ user: 'Ben' })
    expect(await namesOf('user=ann')).toEqual(['ann'])
    expect(await namesOf('user=ben')).toEqual([])
    expect(await namesOf('user__in=ann,Ben')).toEqual(['ann', 'Ben'])
    expect(await namesOf('order_by=-user')).toEqual(['ann', 'Ben'])
  })

  it('refuses a filter by another field, and ignores what is no field of the record', async () => {
    const answer = await get('/api/v1/users/?is_superuser=true')
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ error: "The 'is_superuser' field does not allow filtering." })
    await create()
    const { body } = await get(`/api/v1/users/?cluster=${at.clusterId}&password=x`)
    expect(body.meta.total_count).toBe(1)
  })

  it('refuses a NUL in a filter', async () => {
    expect((await get('/api/v1/users/?user=%00')).status).toBe(400)
  })
})

describe('changing a user', () => {
  it('answers 202 with the whole record, and changes only what was sent', async () => {
    const { password: _, s3_access_key: _key, ...before } = await create()
    const answer = await patch(before.resource_uri, { is_superuser: true })
    expect(answer.status).toBe(202)
    expect(answer.body).toEqual({ ...before, is_superuser: true })
    expect((await get(before.resource_uri)).body).toEqual(answer.body)
  })

  it('shows the password, and the access key of S3, only if the password was sent', async () => {
    const { resource_uri: uri } = await create()
    const fresh = 'another-horse-battery-staple'
    expect((await patch(uri, { password: fresh })).body).toMatchObject({ password: fresh, s3_access_key: 'bob:bob' })
    const other = (await patch(uri, { enabled: false })).body
    for (const field of ['password', 's3_access_key']) expect(other).not.toHaveProperty(field)
  })

  it('does nothing with an empty body, and keeps the ETag', async () => {
    const { resource_uri: uri } = await create()
    const { etag } = (await get(uri)).headers
    expect((await patch(uri, {})).status).toBe(202)
    expect((await get(uri)).headers['etag']).toBe(etag)
  })

  it('refuses a short password', async () => {
    const { resource_uri: uri } = await create()
    const answer = await patch(uri, { password: 'x'.repeat(19) })
    expect(answer.status).toBe(400)
    expect(faults(answer)).toEqual({ password: ['Ensure this value has at least 20 characters.'] })
  })

  it('takes back a whole record, and refuses another name or cluster', async () => {
    const { password: _, ...record } = await create()
    expect((await patch(record.resource_uri, record)).status).toBe(202)
    const other = `/api/v1/clusters/${await addCluster(server.api.database)}/`
    const answer = await patch(record.resource_uri, { ...record, user: 'Bob', cluster: other })
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.users).toSorted()).toEqual(['cluster', 'user'])
  })

  it('is refused with an If-Match that no longer matches, be it for the password alone', async () => {
    const { resource_uri: uri } = await create()
    const { etag } = (await get(uri)).headers
    const headers = { 'if-match': String(etag) }
    const first = await patch(uri, { password: 'another-horse-battery-staple' }, headers)
    expect(first.status).toBe(202)
    expect((await patch(uri, { enabled: false }, headers)).status).toBe(412)
    expect((await get(uri)).headers['etag']).toBe(first.headers['etag'])
  })
})

describe('removing a user', () => {
  it('answers 204 without a body, and 404 from then on', async () => {
    const { resource_uri: uri } = await create()
    const answer = await remove(uri.slice(0, -1))
    expect(answer).toMatchObject({ status: 204, text: '' })
    expect(answer.headers['content-type']).toBeUndefined()
    expect((await get(uri)).status).toBe(404)
    expect((await remove(uri)).status).toBe(404)
  })

  it('is refused with an If-Match that no longer matches', async () => {
    const { resource_uri: uri } = await create()
    expect((await remove(uri, { 'if-match': '"old"' })).status).toBe(412)
  })

  it('keeps its cluster from being removed before it', async () => {
    const { resource_uri: uri } = await create()
    const { clusters } = server.api.context.services
    await expect(clusters.remove(at.clusterId, testCaller)).rejects.toMatchObject({ code: 'conflict' })
    await remove(uri)
    await expect(clusters.remove(at.clusterId, testCaller)).resolves.toBeUndefined()
  })
})

it('refuses every write of an operator who may only read', async () => {
  const { resource_uri: uri } = await create()
  const headers = { authorization: `apikey ${await server.api.addOperator({ role: 'read_only' })}` }
  expect((await post(list, bob({ user: 'eve' }), headers)).status).toBe(403)
  expect((await patch(uri, {}, headers)).status).toBe(403)
  expect((await remove(uri, headers)).status).toBe(403)
  expect((await get(uri, headers)).status).toBe(200)
})

describe('an Idempotency-Key', () => {
  it('makes a repeated creation answer the same, its password included', async () => {
    const headers = { 'idempotency-key': `users-${at.clusterId}` }
    const first = await post(list, bob(), headers)
    const again = await post(list, bob(), headers)
    expect([again.status, again.body]).toEqual([201, first.body])
    expect((await post(list, bob({ password: `${password}2` }), headers)).status).toBe(422)
  })
})

describe('the audit', () => {
  it('has one record of every write, without the password', async () => {
    const { id, resource_uri: uri } = await create()
    await patch(uri, { password: 'another-horse-battery-staple', enabled: false })
    await patch(uri, { password: 'short' })
    await remove(uri)
    const rows = await server.api.database.prisma.auditEvent.findMany({
      where: { resource: 'users', resourceId: Number(id) },
      orderBy: { id: 'asc' },
    })
    expect(rows.map(({ action }) => action)).toEqual(['create', 'change', 'remove'])
    expect(rows[0]?.changes).toMatchObject({ user: [null, 'bob'], password: [null, '***'] })
    expect(rows[1]?.changes).toEqual({ password: [null, '***'], enabled: [true, false] })
  })
})

it('describes its fields, filters and methods in schema/', async () => {
  const { body } = await get('/api/v1/users/schema/')
  expect(body.allowed_list_http_methods).toEqual(['get', 'post'])
  expect(body.allowed_detail_http_methods).toEqual(['get', 'patch', 'delete'])
  expect(Object.keys(body.fields).toSorted()).toEqual([
    'account',
    'cluster',
    'enabled',
    'id',
    'is_superuser',
    'login',
    'password',
    'resource_uri',
    'set',
    'user',
  ])
  expect(body.fields.enabled).toMatchObject({ type: 'boolean', default: true })
  expect(Object.keys(body.filtering)).toEqual(expect.arrayContaining(['cluster', 'user']))
})
