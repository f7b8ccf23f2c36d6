import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { addProxy, halfHourMs } from '../support/database/usage-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
let dispatcher: Agent
let csv: string
const nodes = '/api/v1/nodes/'
const password = 'x'.repeat(1024)

beforeAll(async () => {
  const { database, ca } = server.api
  dispatcher = new Agent({ connect: { ca } })
  for (let i = 0; i < 5; i++) await addNode(database, 1)
  const cluster = await addCluster(database, 'with usage')
  await addProxy(database, cluster)
  const begin = Math.floor(Date.now() / halfHourMs) - 4
  await database.pool.query(
    `with accounts as (
       insert into usage_accounts (cluster_id, name) select $1, 'AUTH_' || i from generate_series(1, 3000) i returning id)
     insert into storage_usage (account_id, policy_index, half_hour, slots, bytes_used, containers, objects)
     select id, 0, $2, 7, 5, 1, 1 from accounts`,
    [cluster, begin],
  )
  const start = new Date((begin - 1) * halfHourMs).toISOString()
  csv = `/api/v1/clusters/${cluster}/utilization/storage/0/?start=${start}&end=${new Date().toISOString()}&format=csv`
})
afterAll(() => dispatcher.close())

interface Sent {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PATCH'
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

async function send(path: string, encoding: string | undefined, { method = 'GET', body, headers = {} }: Sent = {}) {
  const { url, key } = server.api
  const answer = await request(`${url}${path}`, {
    dispatcher,
    method,
    headers: {
      authorization: `apikey ${key}`,
      ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
      ...headers,
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const bytes = Buffer.from(await answer.body.arrayBuffer())
  const { 'content-encoding': coding, vary, etag } = answer.headers
  const text = coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes
  return { status: answer.statusCode, coding, vary, etag: String(etag), text: String(text), size: bytes.length }
}

describe('an answer above 1 kB', () => {
  it.each([
    ['gzip', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['*', 'br'],
    ['gzip;q=0', undefined],
    ['br;q=0, *;q=0.1', 'gzip'],
    ['deflate', undefined],
    ['identity', undefined],
    [undefined, undefined],
  ])('is compressed where the client asks for it: %s', async (encoding, coding) => {
    const plain = await send(nodes, undefined)
    const answer = await send(nodes, encoding)
    expect([answer.status, answer.coding, answer.text]).toEqual([200, coding, plain.text])
    expect(answer.vary).toBe('Accept-Encoding')
    expect(answer.size < plain.size / 2).toBe(coding !== undefined)
  })

  it('is compressed as a stream, too, and has every row', async () => {
    const plain = await send(csv, undefined)
    expect(plain.text.split('\r\n')).toHaveLength(3002)
    for (const encoding of ['gzip', 'br']) {
      const answer = await send(csv, encoding)
      expect([answer.coding, answer.text === plain.text]).toEqual([encoding, true])
      expect(answer.size).toBeLessThan(plain.size / 3)
    }
  })

  it('has the same ETag, which is 304 as without compression', async () => {
    const path = `${nodes}set/1;2;3;4;5/`
    expect((await send(path, 'gzip')).coding).toBe('gzip')
    const { objects } = JSON.parse((await send(nodes, 'gzip')).text)
    const uri = objects[0].resource_uri as string
    const [{ etag }, { etag: same }] = [await send(uri, 'gzip'), await send(uri, undefined)]
    expect(etag).toBe(same)
    expect((await send(uri, 'gzip', { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  it('of a change is compressed where it has no secret', async () => {
    const { objects } = JSON.parse((await send(nodes, undefined)).text)
    const body = { objects: objects.map(({ resource_uri }: { resource_uri: string }) => ({ resource_uri })) }
    expect(await send(nodes, 'gzip', { method: 'PATCH', body })).toMatchObject({ status: 202, coding: 'gzip' })
  })
})

describe('what is not compressed', () => {
  it('a short answer, and that to HEAD', async () => {
    expect(await send('/api/v1/clusters/1/', 'gzip')).toMatchObject({ status: 200, coding: undefined })
    expect(await send(nodes, 'gzip', { method: 'HEAD' })).toMatchObject({ status: 200, coding: undefined, size: 0 })
  })

  it('an answer with a password', async () => {
    const body = { cluster: 1, user: 'bob', password }
    const made = await send('/api/v1/users/', 'gzip, br', { method: 'POST', body })
    expect([made.status, made.coding, JSON.parse(made.text).password]).toEqual([201, undefined, password])
    const uri = JSON.parse(made.text).resource_uri as string
    const changed = await send(uri, 'gzip, br', { method: 'PATCH', body: { password } })
    expect([changed.status, changed.coding, JSON.parse(changed.text).password]).toEqual([202, undefined, password])
  })

  it('a body that is sent: it is 415', async () => {
    const answer = await server.api.call('/api/v1/users/', {
      method: 'POST',
      body: gzipSync(JSON.stringify({ cluster: 1, user: 'ann', password })),
      headers: { 'content-encoding': 'gzip' },
    })
    expect([answer.status, answer.body]).toEqual([415, { error: 'The request body must not be compressed.' }])
  })
})
