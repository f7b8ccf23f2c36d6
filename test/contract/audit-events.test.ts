import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@roost/api-types'
import { AuditAction } from '@roost/api-types/rest'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const list = '/api/v1/audit_events/'
const canary = 'S3CR3T-canary-0123456789'
const server = shareApi()
const { get, post, patch, remove } = server

let userId = ''
let newest = { id: 0, at: '' }
beforeAll(async () => {
  const cluster = await addCluster(server.api.database)
  const made = await post('/api/v1/users/', { cluster, user: 'bob', password: canary }, { 'x-request-id': 'made-bob' })
  userId = made.body.id
  await patch(made.body.resource_uri, { enabled: false, password: `${canary}-2` })
  await remove(made.body.resource_uri)
  newest = (await get(`${list}?order_by=-id&limit=1`)).body.objects[0]
})

const actions = async (query: string) =>
  (await get(`${list}?${query}`)).body.objects.map(({ action }: { readonly action: string }) => action)

describe('audit_events', () => {
  it('tell who did what, when and from where', async () => {
    const { body } = await get(`${list}?request_id=made-bob`)
    expect(body.objects).toEqual([
      {
        id: expect.any(Number),
        resource_uri: `${list}${body.objects[0].id}/`,
        at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        operator: 'admin',
        key_id: expect.any(Number),
        address: '127.0.0.1',
        request_id: 'made-bob',
        action: 'create',
        resource: 'users',
        resource_id: Number(userId),
        name: 'bob',
        changes: expect.objectContaining({ user: [null, 'bob'], enabled: [null, true] }),
      },
    ])
    expect((await get(body.objects[0].resource_uri)).body).toEqual(body.objects[0])
  })

  it('tell of a secret that it changed, and nothing more', async () => {
    const { body, text } = await get(`${list}?resource=users&resource_id=${userId}&action=change`)
    expect(body.objects[0].changes).toEqual({ enabled: [true, false], password: [null, '***'] })
    expect(text).not.toContain('S3CR3T')
  })

  it('are found by operator, resource, record, action and key', async () => {
    const ofUser = `resource=users&resource_id=${userId}`
    expect(await actions(ofUser)).toEqual(['create', 'change', 'remove'])
    expect(await actions(`${ofUser}&action__in=create,remove&operator=admin`)).toEqual(['create', 'remove'])
    expect(await actions(`${ofUser}&operator=no-one`)).toEqual([])
    expect(await actions(`${ofUser}&key_id=999`)).toEqual([])
  })

  it('are found by their time, in UTC where it names no zone', async () => {
    const at = newest.at
    const later = new Date(Date.parse(at) + 1).toISOString()
    expect(await actions(`at__gte=${later}`)).toEqual([])
    expect(await actions(`at__gte=${at}&at__lt=${later}&id=${newest.id}`)).toEqual(['remove'])
    expect(await actions(`at__gte=${at.slice(0, -1)}&id=${newest.id}`)).toEqual(['remove'])
    expect(await actions(`at__lt=${at.slice(0, 10)}&id=${newest.id}`)).toEqual([]) // midnight may be just over
    const answer = await get(`${list}?at__gte=yesterday`)
    expect(answer.status).toBe(400)
    expect(answer.body.error).toBe('Invalid resource lookup data provided (mismatched type).')
  })

  it('have an action of one list, which the OpenAPI document and docs/api.md have', async () => {
    const { components, paths } = (await get('/openapi.json')).body
    expect(components.schemas.AuditAction.enum).toEqual(AuditAction.options)
    const { parameters } = paths[list].get
    const filter = parameters.find(({ name }: { readonly name: string }) => name === 'action')
    expect(filter.schema.enum).toEqual(AuditAction.options)
    const page = await readFile(join(import.meta.dirname, '../../docs/api.md'), 'utf8')
    const documented = /Its `action` is .*?\n.*$/m.exec(page)?.[0] ?? ''
    expect(AuditAction.options.filter((action) => !documented.includes(`\`${action}\``))).toEqual([])
  })

  it('are read-only', async () => {
    for (const answer of [await post(list, {}), await patch(`${list}1/`, {}), await remove(`${list}1/`)])
      expect(answer.status).toBe(405)
  })

  it('are open to operators who may only read, and to the typed client', async () => {
    const key = await server.api.addOperator({ role: 'read_only' })
    expect((await get(list, { authorization: `apikey ${key}` })).status).toBe(200)
    const client = createClient({ url: server.api.url, ca: server.api.ca, apiKey: key })
    const { objects } = await client.rpc.auditEvents.list.query({
      filters: { resource: 'users', resource_id: Number(userId) },
    })
    expect(objects.map(({ action }) => action)).toEqual(['create', 'change', 'remove'])
    await client.close()
  })

  it('have the name that the record had, also when its name did not change', async () => {
    const cluster = await addCluster(server.api.database, 'east_wing-1')
    const named = async (query: string) =>
      (await get(`${list}?${query}`)).body.objects.map(({ name }: { readonly name: string | null }) => name)
    expect(await named(`resource=users&resource_id=${userId}`)).toEqual(['bob', 'bob', 'bob'])
    const { rpc, close } = createClient({ url: server.api.url, ca: server.api.ca, apiKey: server.api.key })
    onTestFinished(close)
    await rpc.clusters.change.mutate({ id: cluster, change: { name: 'east_wing-2' } })
    await rpc.clusters.remove.mutate({ id: cluster })
    expect(await named(`resource=clusters&resource_id=${cluster}`)).toEqual(['east_wing-2', 'east_wing-2'])
  })

  it('are found by a part of their operator, action, resource or name with q, whatever its case', async () => {
    const ofUser = `resource=users&resource_id=${userId}`
    const q = (text: string) => actions(`${ofUser}&q=${encodeURIComponent(text)}`)
    for (const text of ['BO', 'Admi', 'USER', ' bob ']) expect(await q(text)).toEqual(['create', 'change', 'remove'])
    expect(await q('REMO')).toEqual(['remove'])
    expect(await q('carol')).toEqual([])
    for (const pattern of ['b_b', '%', 'bob\\']) expect(await q(pattern)).toEqual([])
    expect(await actions(`q=${encodeURIComponent('EAST_W')}`)).toEqual(['change', 'remove'])
    const { body } = await get(`${list}?q=bob&order_by=-id&limit=1`)
    expect(body.meta).toMatchObject({ total_count: 3, next: `${list}?q=bob&order_by=-id&limit=1&offset=1` })
  })

  it.each(['', '%20', 'x'.repeat(101), 'a%00'])('refuse q=%s with its name', async (text) => {
    const { status, body } = await get(`${list}?q=${text}`)
    expect([status, body.error]).toEqual([
      400,
      expect.stringMatching(/^Invalid q '.*' provided\. Please provide 1 to 100 char/s),
    ])
    const { rpc, close } = createClient({ url: server.api.url, ca: server.api.ca, apiKey: server.api.key })
    onTestFinished(close)
    const asked = rpc.auditEvents.list.query({ filters: { q: decodeURIComponent(text) } })
    await expect(asked).rejects.toThrow('Please provide 1 to 100 characters.')
  })

  it('have q without lookups', async () => {
    expect((await get(`${list}schema/`)).body.filtering.q).toEqual(['icontains'])
    for (const lookup of ['q__in', 'q__exact'])
      expect((await get(`${list}?${lookup}=bob`)).body.error).toBe(`The '${lookup}' field does not allow filtering.`)
  })

  it('become visible in the order of their ids, however many write at once', async () => {
    const seen = new Set<number>()
    let isWriting = true
    let offset = 0
    const walk = async () => {
      for (;;) {
        const last = !isWriting
        const { body } = await get(`${list}?limit=1000&offset=${offset}`)
        for (const { id } of body.objects) {
          expect(seen.has(id)).toBe(false)
          seen.add(id)
        }
        offset += body.objects.length
        if (last) return
      }
    }
    const walking = walk()
    const cluster = await addCluster(server.api.database)
    const password = 'correct-horse-battery-staple'
    const writing = Promise.all(
      Array.from({ length: 40 }, (_, n) => post('/api/v1/users/', { cluster, user: `walker${n}`, password })),
    ).finally(() => (isWriting = false))
    await Promise.all([writing, walking])
    expect(seen.size).toBe(await server.api.database.prisma.auditEvent.count())
  })
})
