import { createClient } from '@roost/api-types'
import { systemClock } from '@roost/runtime'
import { Agent, request } from 'undici'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'
import type { Answer } from '../support/http/api.js'

const server = shareApi()
const admin = shareClient(server)
const list = '/api/v1/clusters/'
const own = { 'sec-fetch-site': 'same-origin' }
const hourMs = 3_600_000

let lastAddress = 0
/** A fresh address for each test: failures are counted by address. */
let from = ''
beforeEach(() => {
  from = `127.3.0.${(lastAddress += 1)}`
})

const call = (path: string, method = 'GET', headers: Record<string, string | null> = {}) =>
  server.api.call(path, { method, headers: { authorization: null, ...headers }, from })

async function logIn(key: string) {
  const answer = await call('/session', 'POST', { authorization: `apikey ${key}`, ...own })
  const [cookie = ''] = String(answer.headers['set-cookie']).split(';')
  return { answer, cookie }
}

let count = 0
/** Logs a new operator in. */
async function newSession(role: 'admin' | 'read_only' = 'admin') {
  const { rpc } = admin
  const operator = await rpc.operators.create.mutate({ name: `person ${(count += 1)}`, role })
  const key = await rpc.apiKeys.create.mutate({ operator: operator.id })
  return { operator, key, ...(await logIn(key.credentials)) }
}

const rowOf = (id: number) => server.api.database.prisma.apiKey.findUniqueOrThrow({ where: { id } })

describe('logging in', () => {
  it('sets a cookie that scripts and other sites do not get, for twelve hours', async () => {
    const { operator, key, answer } = await newSession('read_only')
    expect(answer.status).toBe(200)
    const { id, created, expires, ...rest } = answer.body
    const preferences = { theme: null, density: null, units: null, zone: null, language: null, keys: null }
    expect(rest).toEqual({ operator: operator.name, role: 'read_only', preferences })
    expect(Date.parse(expires) - Date.parse(created)).toBe(12 * hourMs)
    const [value = '', ...attributes] = String(answer.headers['set-cookie']).split('; ')
    expect(attributes).toEqual(['Max-Age=43200', 'Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict'])
    expect(value).toMatch(/^__Host-roost=[\w-]{20,}$/)
    const row = await rowOf(id)
    expect(row).toMatchObject({ kind: 'session', parentId: key.id, operatorId: operator.id, address: from })
    expect(answer.text).not.toContain(value.split('=')[1])
  })

  it('needs a key in the header, and counts wrong ones', async () => {
    expect((await logIn('admin:wrong')).answer.status).toBe(401)
    const { cookie } = await newSession()
    expect((await call('/session', 'POST', { cookie, ...own })).status).toBe(409)
    expect((await call('/session', 'POST', own)).status).toBe(401)
    for (let i = 0; i < 8; i++) expect((await logIn('admin:wrong')).answer.status).toBe(401)
    expect((await logIn(server.api.key)).answer.status).toBe(429)
  })

  it('keeps the hundred newest sessions of an operator', async () => {
    const { operator, key, answer } = await newSession()
    const { id: operatorId } = operator
    const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + hourMs) }
    const rows = Array.from({ length: 99 }, (_, i) => ({
      operatorId,
      parentId: key.id,
      digest: new Uint8Array(Buffer.from(`${operatorId} ${i}`)),
      kind: 'session',
      ...times,
    }))
    await server.api.database.prisma.apiKey.createMany({ data: rows })
    await logIn(key.credentials)
    const { total } = await admin.rpc.sessions.list.query({ filters: { operator: operatorId } })
    expect(total).toBe(100)
    expect((await server.get(`/api/v1/sessions/${answer.body.id}/`)).status).toBe(404)
  })

  it('is log_in in the audit, and logging out log_out, by the operator', async () => {
    const { operator, key, answer, cookie } = await newSession()
    await call('/session', 'DELETE', { cookie, ...own })
    const { body } = await server.get(`/api/v1/audit_events/?resource=sessions&resource_id=${answer.body.id}`)
    expect(body.objects).toMatchObject([
      { action: 'log_in', operator: operator.name, key_id: key.id, address: from },
      { action: 'log_out', operator: operator.name, key_id: answer.body.id },
    ])
    expect(JSON.stringify(body)).not.toContain(cookie.split('=')[1])
  })
})

describe('a session', () => {
  it('works for REST, for batches and for streams', async () => {
    const { cookie } = await newSession()
    expect((await call(list, 'GET', { cookie, ...own })).status).toBe(200)
    const batch = '/trpc/clusters.list,nodes.list?batch=1'
    expect((await call(batch, 'GET', { cookie, ...own })).body).toHaveLength(2)
    const dispatcher = new Agent({ connect: { ca: server.api.ca } })
    onTestFinished(() => dispatcher.destroy())
    const stream = await request(`${server.api.url}/trpc/nodes.states`, { dispatcher, headers: { cookie, ...own } })
    stream.body.on('error', () => {})
    stream.body.destroy()
    expect([stream.statusCode, stream.headers['content-type']]).toEqual([200, 'text/event-stream'])
  })

  it('has the role of its operator', async () => {
    const { cookie } = await newSession('read_only')
    const change = await server.api.call('/api/v1/nodes/1/', {
      method: 'PATCH',
      body: {},
      headers: { authorization: null, cookie, ...own },
      from,
    })
    expect(change.status).toBe(403)
    expect((await call('/session', 'DELETE', { cookie, ...own })).status).toBe(204)
  })

  it('is shown by GET /session, which is null for everybody else', async () => {
    const { answer, cookie } = await newSession()
    expect((await call('/session', 'GET', { cookie, ...own })).body).toEqual(answer.body)
    for (const headers of [{}, { authorization: `apikey ${server.api.key}` }]) {
      const without = await call('/session', 'GET', headers)
      expect([without.status, without.text]).toEqual([200, 'null'])
    }
    expect((await call('/session', 'GET', { authorization: 'apikey admin:wrong' })).status).toBe(401)
  })

  it('is no key: neither in a header, nor in the list of keys, nor can a key be a cookie', async () => {
    const { operator, key, answer, cookie } = await newSession()
    const credentials = Buffer.from(cookie.split('=')[1] ?? '', 'base64url').toString()
    expect((await call(list, 'GET', { authorization: `apikey ${credentials}` })).status).toBe(401)
    const keyCookie = `__Host-roost=${Buffer.from(key.credentials).toString('base64url')}`
    expect((await call(list, 'GET', { cookie: keyCookie, ...own })).status).toBe(401)
    const { apiKeys, operators } = admin.rpc
    const keys = await apiKeys.list.query({ filters: { operator: operator.id } })
    expect(keys.objects.map(({ id }) => id)).toEqual([key.id])
    const { id } = answer.body
    await expect(apiKeys.revoke.mutate({ id })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
    expect((await operators.get.query({ id: operator.id })).keys).toBe(1)
  })

  it('counts only without Authorization', async () => {
    const { cookie } = await newSession()
    expect((await call(list, 'GET', { cookie, ...own, authorization: 'apikey admin:wrong' })).status).toBe(401)
    const foreign = { cookie, 'sec-fetch-site': 'cross-site', authorization: `apikey ${server.api.key}` }
    expect((await call(list, 'GET', foreign)).status).toBe(200)
  })
})

describe('a page of another origin', () => {
  const write = (headers: Record<string, string>) => call('/session', 'DELETE', headers)

  it.each([
    ['cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['on another port of this host', { 'sec-fetch-site': 'same-site' }],
    ['in a browser without Sec-Fetch-Site', { origin: 'https://evil.example' }],
    ['without an origin', { origin: 'null' }],
  ])('%s can use no session', async (_name, headers) => {
    const { cookie } = await newSession()
    expect((await call(list, 'GET', { cookie, ...headers })).status).toBe(403)
    expect((await write({ cookie, ...headers })).status).toBe(403)
    expect((await call('/session', 'GET', { cookie, ...own })).body).not.toBe(null)
  })

  it('cannot write where the browser names no origin at all, though an entered address is read', async () => {
    const { cookie } = await newSession()
    for (const headers of [{}, { 'sec-fetch-site': 'none' }] as Record<string, string>[]) {
      expect((await write({ cookie, ...headers })).status).toBe(403)
      expect((await call(list, 'GET', { cookie, ...headers })).status).toBe(200)
    }
    expect((await write({ cookie, origin: server.api.url })).status).toBe(204)
  })
})

/** Settles once the server has cut the stream of the session off. */
async function streamOf(cookie: string): Promise<{ readonly ended: Promise<unknown> }> {
  const dispatcher = new Agent({ connect: { ca: server.api.ca } })
  onTestFinished(() => dispatcher.destroy())
  const { body } = await request(`${server.api.url}/trpc/nodes.states`, { dispatcher, headers: { cookie, ...own } })
  const reader = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  await reader.next()
  const ended = (async () => {
    for (;;) if ((await reader.next().catch(() => ({ done: true }))).done === true) return
  })()
  return { ended }
}

/** Refused, and the browser gets rid of the cookie. */
async function expectEnded(cookie: string): Promise<void> {
  const ask = async (): Promise<Answer> => call(list, 'GET', { cookie, ...own })
  await expect.poll(async () => (await ask()).status, { timeout: waitTimeoutMs }).toBe(401)
  expect(String((await ask()).headers['set-cookie'])).toMatch(/^__Host-roost=; Max-Age=0; /)
  const current = await call('/session', 'GET', { cookie, ...own })
  expect([current.status, current.text]).toEqual([200, 'null'])
}

describe('a session ends, with its streams,', () => {
  it('when it is logged out', async () => {
    const { cookie } = await newSession()
    const { ended } = await streamOf(cookie)
    const answer = await call('/session', 'DELETE', { cookie, ...own })
    expect([answer.status, answer.headers['clear-site-data']]).toEqual([204, '"cache", "storage"'])
    expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-roost=; Max-Age=0; /)
    await ended
    await expectEnded(cookie)
  })

  it('when its key is revoked', async () => {
    const { key, cookie, answer } = await newSession()
    const { ended } = await streamOf(cookie)
    await admin.rpc.apiKeys.revoke.mutate({ id: key.id })
    await ended
    await expectEnded(cookie)
    expect((await server.get(`/api/v1/sessions/${answer.body.id}/`)).status).toBe(404)
  })

  it('when its key expires', async () => {
    const { key, cookie } = await newSession()
    await admin.rpc.apiKeys.rotate.mutate({ id: key.id, rotation: { overlap_seconds: 0 } })
    await expectEnded(cookie)
    expect((await logIn(key.credentials)).answer.status).toBe(401)
  })

  it('when an administrator ends it, by REST or tRPC', async () => {
    const [one, other] = [await newSession(), await newSession()]
    const path = `/api/v1/sessions/${one.answer.body.id}/`
    const { body, headers } = await server.get(path)
    expect(body).toMatchObject({ operator_name: one.operator.name, key: one.key.id, address: from })
    expect((await server.remove(path, { 'if-match': '"another"' })).status).toBe(412)
    expect((await server.remove(path, { 'if-match': String(headers['etag']) })).status).toBe(204)
    await expectEnded(one.cookie)
    expect((await call(list, 'GET', { cookie: other.cookie, ...own })).status).toBe(200)
    await admin.rpc.sessions.remove.mutate({ id: other.answer.body.id })
    await expectEnded(other.cookie)
  })

  it('after twelve hours, and after eight in which it was not used', async () => {
    const [old, idle, used] = [await newSession(), await newSession(), await newSession()]
    const { prisma } = server.api.database
    const set = (id: number, data: object) => prisma.apiKey.update({ where: { id }, data })
    const ago = (hours: number) => new Date(Date.now() - hours * hourMs)
    await set(old.answer.body.id, { createdAt: ago(12), expiresAt: ago(0), lastUsedAt: ago(0) })
    await set(idle.answer.body.id, { createdAt: ago(8.01) })
    await set(used.answer.body.id, { createdAt: ago(11), lastUsedAt: ago(7.9) })
    await expectEnded(old.cookie)
    await expectEnded(idle.cookie)
    expect((await call(list, 'GET', { cookie: used.cookie, ...own })).status).toBe(200)
    const { objects } = await admin.rpc.sessions.list.query({ filters: { id: [old, idle, used].map(idOf) } })
    expect(objects.map(({ id }) => id)).toEqual([idOf(used)])
  })
})
const idOf = ({ answer }: { readonly answer: Answer }): number => answer.body.id

it('the cookie of an ended session is one failure, however often it is sent', async () => {
  const time = vi.spyOn(systemClock, 'monotonic').mockReturnValue(systemClock.monotonic())
  onTestFinished(() => time.mockRestore())
  const { cookie } = await newSession()
  await call('/session', 'DELETE', { cookie, ...own })
  for (let i = 0; i < 15; i++) expect((await call(list, 'GET', { cookie, ...own })).status).toBe(401)
  const wrong = (i: number) => `__Host-roost=${Buffer.from(`admin:${i}`).toString('base64url')}`
  for (let i = 0; i < 9; i++) expect((await call(list, 'GET', { cookie: wrong(i), ...own })).status).toBe(401)
  expect((await call(list, 'GET', { cookie: wrong(9), ...own })).status).toBe(429)
})

it('sessions.current of tRPC answers as GET /session, and null with a key', async () => {
  const { answer, cookie } = await newSession()
  const { body } = await call('/trpc/sessions.current', 'GET', { cookie, ...own })
  expect(body.result.data).toEqual(answer.body)
  const client = createClient({ url: server.api.url, ca: server.api.ca, apiKey: server.api.key })
  onTestFinished(() => client.close())
  expect(await client.rpc.sessions.current.query()).toBe(null)
})
