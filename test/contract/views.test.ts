import { createClient } from '@roost/api-types'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
const { get, post, patch, remove } = server
const list = '/api/v1/views/'
const preferences = '/api/v1/preferences/'
const unset = { theme: null, density: null, units: null, zone: null, language: null, keys: null }

let alice = { authorization: '' }
let reader = { authorization: '' }
beforeAll(async () => {
  alice = { authorization: `apikey ${await server.api.addOperator({ name: 'alice' })}` }
  reader = { authorization: `apikey ${await server.api.addOperator({ name: 'reader', role: 'read_only' })}` }
})

function client(authorization: string) {
  const made = createClient({ url: server.api.url, ca: server.api.ca, apiKey: authorization.slice('apikey '.length) })
  onTestFinished(made.close)
  return made.rpc
}

describe('views/', () => {
  it('are those of the operator alone, in every way to read and write them', async () => {
    const mine = (await post(list, { name: 'offline', address: '/nodes?state=offline' })).body
    const hers = (await post(list, { name: 'offline', address: '/devices' }, alice)).body
    expect(mine).toMatchObject({ name: 'offline', address: '/nodes?state=offline' })
    expect((await get(list, alice)).body).toMatchObject({ meta: { total_count: 1 }, objects: [hers] })
    expect((await get(`${list}?operator=${mine.operator}`, alice)).body.objects).toEqual([])
    expect((await get(`${list}set/${mine.id};${hers.id}/`, alice)).body).toEqual({
      objects: [hers],
      not_found: [String(mine.id)],
    })
    for (const answer of [
      await get(mine.resource_uri, alice),
      await patch(mine.resource_uri, { name: 'x' }, alice),
      await remove(mine.resource_uri, alice),
    ])
      expect(answer.status).toBe(404)
    const rpc = client(alice.authorization)
    expect((await rpc.views.list.query()).objects).toEqual([hers])
    expect(await rpc.views.getMany.query({ ids: [mine.id, hers.id] })).toEqual([hers])
    for (const asked of [
      rpc.views.get.query({ id: mine.id }),
      rpc.views.getWithEtag.query({ id: mine.id }),
      rpc.views.change.mutate({ id: mine.id, change: { name: 'x' } }),
      rpc.views.remove.mutate({ id: mine.id }),
    ])
      await expect(asked).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
    expect((await get(mine.resource_uri)).body).toEqual(mine)
  })

  it('have names of their own, and addresses of the console', async () => {
    const made = (await post(list, { name: 'disks', address: '/devices?status__not=ok' })).body
    expect((await post(list, { name: 'disks', address: '/devices' })).body).toEqual({
      views: { name: ["You already have a view 'disks'."] },
    })
    expect((await patch(made.resource_uri, { name: 'disks', address: '/' })).body).toMatchObject({ address: '/' })
    for (const address of [
      'https://example.com/',
      '//example.com',
      '/\\example.com',
      'nodes',
      '/nodes?a=ü',
      '/nodes#x',
    ])
      expect([address, (await post(list, { name: 'x', address })).body]).toEqual([
        address,
        { views: { address: ['Enter the path of a screen, such as /nodes?state=offline.'] } },
      ])
    for (const name of ['', ' x', 'x\n', 'x'.repeat(65)])
      expect(Object.keys((await post(list, { name, address: '/' })).body.views)).toEqual(['name'])
  })

  it('have 64 KiB together', async () => {
    const { headers } = { headers: { authorization: `apikey ${await server.api.addOperator({ name: 'collector' })}` } }
    const address = `/nodes?q=${'x'.repeat(2039)}`
    const save = (name: string) => post(list, { name, address }, headers)
    const saved = await Promise.all(Array.from({ length: 33 }, (_, i) => save(`view ${i}`)))
    const refused = saved.filter(({ status }) => status !== 201)
    expect(refused.map(({ body }) => body)).toEqual(
      Array.from({ length: 2 }, () => ({
        views: { address: ['Your views may have 64 KiB together. Remove some of them first.'] },
      })),
    )
    expect((await get(`${list}?limit=1`, headers)).body.meta.total_count).toBe(31)
  })

  it('are read by operators who can only read, who save none, as they write nothing', async () => {
    expect((await get(list, reader)).body.objects).toEqual([])
    expect((await post(list, { name: 'x', address: '/' }, reader)).status).toBe(403)
    expect((await patch(preferences, { theme: 'dark' }, reader)).status).toBe(403)
    expect((await get(preferences, reader)).body).toEqual(unset)
  })
})

describe('preferences/', () => {
  it('are those of the operator alone, and null where nothing is chosen', async () => {
    expect((await get(preferences)).body).toEqual(unset)
    const { status, body } = await patch(preferences, { theme: 'dark', keys: false })
    expect([status, body]).toEqual([202, { ...unset, theme: 'dark', keys: false }])
    expect((await patch(preferences, { zone: 'utc', keys: null })).body).toEqual({
      ...unset,
      theme: 'dark',
      zone: 'utc',
    })
    expect((await get(preferences, alice)).body).toEqual(unset)
    expect(await client(alice.authorization).preferences.set.mutate({ language: 'de' })).toEqual({
      ...unset,
      language: 'de',
    })
    expect((await get(preferences)).body).toMatchObject({ theme: 'dark', language: null })
  })

  it('have an ETag, which a change can be bound to', async () => {
    const { headers } = await get(preferences, alice)
    const etag = String(headers['etag'])
    expect((await get(preferences, { ...alice, 'if-none-match': etag })).status).toBe(304)
    const changed = await patch(preferences, { units: 'binary' }, { ...alice, 'if-match': etag })
    expect(changed.status).toBe(202)
    expect((await patch(preferences, { units: 'decimal' }, { ...alice, 'if-match': etag })).status).toBe(412)
    const rpc = client(alice.authorization)
    const seen = await rpc.preferences.getWithEtag.query()
    expect(seen).toEqual({ record: await rpc.preferences.get.query(), etag: changed.headers['etag'] })
    await expect(rpc.preferences.set.mutate({ units: 'decimal', if_match: etag })).rejects.toMatchObject({
      data: { code: 'PRECONDITION_FAILED' },
    })
  })

  it('are only checked with validate, and audited with the name of the operator', async () => {
    const before = (await get(preferences, alice)).body
    expect((await patch(`${preferences}?validate=1`, { theme: 'light' }, alice)).body).toMatchObject({ theme: 'light' })
    expect((await get(preferences, alice)).body).toEqual(before)
    await patch(preferences, { theme: 'light' }, alice)
    const { objects } = (await get('/api/v1/audit_events/?resource=preferences&operator=alice&order_by=-id&limit=1'))
      .body
    expect(objects).toMatchObject([{ action: 'change', name: 'alice', changes: { theme: [null, 'light'] } }])
  })

  it('refuse a value that is none of theirs', async () => {
    const { status, body } = await patch(preferences, { theme: 'pink', zone: 'mars' })
    expect([status, Object.keys(body.preferences)]).toEqual([400, ['theme', 'zone']])
  })

  it('are removed with the operator, as are its views', async () => {
    const { prisma } = server.api.database
    const { id } = await prisma.operator.findUniqueOrThrow({ where: { name: 'alice' } })
    expect(await prisma.view.count({ where: { operatorId: id } })).toBe(1)
    await client(`apikey ${server.api.key}`).operators.remove.mutate({ id })
    expect(await prisma.view.count({ where: { operatorId: id } })).toBe(0)
  })
})
