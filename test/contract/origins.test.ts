import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { rawConnection, readAll } from '../support/http/raw-http.js'

let api: TestApi
let node: number
let count = 0
beforeAll(async () => {
  api = await startApi()
  node = await addNode(api.database, await addCluster(api.database, 'origins'))
})
afterAll(() => api.stop())

const user = (more: object = {}) => ({
  cluster: '/api/v1/clusters/1/',
  user: `user-${(count += 1)}`,
  password: 'correct-horse-battery-staple',
  ...more,
})

/** Creates a user with the given Host, and returns the Location of the answer. */
async function locationFor(host: string): Promise<string | undefined> {
  const body = JSON.stringify(user())
  const socket = await rawConnection(api)
  const head = [
    'POST /api/v1/users/ HTTP/1.1',
    `Host: ${host}`,
    'Connection: close',
    `Authorization: apikey ${api.key}`,
    `Content-Length: ${body.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  return /^location: (.*)\r$/im.exec(await readAll(socket))?.[1]
}

describe('the Location of a new record', () => {
  it('is absolute, below the origin of the request', async () => {
    const { headers, body } = await api.call('/api/v1/users/', { method: 'POST', body: user() })
    expect(headers['location']).toBe(`${api.url}${body.resource_uri}`)
    const { port } = new URL(api.url)
    expect(await locationFor(`localhost:${port}`)).toMatch(`https://localhost:${port}/api/v1/users/`)
  })

  it('never has a host that the certificate does not cover', async () => {
    for (const host of ['evil.example', 'evil.example:8443', 'x y', '127.0.0.2'])
      expect([host, await locationFor(host)]).toEqual([
        host,
        expect.stringMatching(/^https:\/\/localhost:\d+\/api\/v1\/users\/\d+\/$/),
      ])
  })

  it('is below ROOST_PUBLIC_URL where that is set', async () => {
    const own = await startApi({ ROOST_PUBLIC_URL: 'https://roost.example' })
    try {
      const { headers, body } = await own.call('/api/v1/users/', { method: 'POST', body: user() })
      expect(headers['location']).toBe(`https://roost.example${body.resource_uri}`)
      const cluster = `https://roost.example:4443/api/v1/clusters/1/`
      expect((await own.call('/api/v1/users/', { method: 'POST', body: user({ cluster }) })).status).toBe(201)
    } finally {
      await own.stop()
    }
  })
})

describe('an absolute URL', () => {
  const status = async (origin: string) => {
    const body = user({ cluster: `${origin}/api/v1/clusters/1/` })
    return (await api.call('/api/v1/users/', { method: 'POST', body })).status
  }

  it('of every origin that the certificate covers is a relation', async () => {
    for (const origin of [
      api.url,
      'https://localhost',
      'https://127.0.0.1:9999',
      'https://[::1]:8443',
      'HTTPS://LOCALHOST',
    ])
      expect([origin, await status(origin)]).toEqual([origin, 201])
    const cluster = (await api.get(`/api/v1/nodes/${node}/`)).body.cluster
    const found = await api.get(`/api/v1/nodes/?cluster=${encodeURIComponent(`https://localhost${cluster}`)}`)
    expect(found.body.objects.map(({ id }: { id: number }) => id)).toEqual([node])
    const share = { name: 'by-url', node: `https://localhost/api/v1/nodes/${node}/`, objectstore_container: 'c' }
    await api.patch(`/api/v1/nodes/${node}/`, { node_role: { runs_gateway: true } })
    expect((await api.call('/api/v1/gateway_shares/', { method: 'POST', body: share })).status).toBe(201)
    const resource_uri = `https://localhost:1/api/v1/nodes/${node}/`
    expect((await api.patch('/api/v1/nodes/', { objects: [{ resource_uri }] })).status).toBe(202)
  })

  it('of another host, scheme or user is none', async () => {
    const others = [
      'https://elsewhere.example',
      'https://x@localhost',
      'http://localhost',
      'ftp://localhost',
      '//localhost',
    ]
    for (const origin of others) expect([origin, await status(origin)]).toEqual([origin, 400])
  })
})

describe('X-HTTP-Method-Override', () => {
  const post = (path: string, method: string, body?: object, more: object = {}) =>
    api.call(path, { method: 'POST', body, headers: { 'x-http-method-override': method, ...more } })
  const create = async () =>
    (await api.call('/api/v1/users/', { method: 'POST', body: user() })).body.resource_uri as string

  it('makes a POST a PATCH or a DELETE', async () => {
    const uri = await create()
    const changed = await post(uri, 'patch', { enabled: false })
    expect([changed.status, changed.body.enabled]).toEqual([202, false])
    expect((await post(uri, 'DELETE', undefined)).status).toBe(204)
    expect((await api.get(uri)).status).toBe(404)
  })

  it('passes the checks of that method', async () => {
    const uri = await create()
    const reader = `apikey ${await api.addOperator({ role: 'read_only' })}`
    expect((await post(uri, 'DELETE', {}, { authorization: reader })).status).toBe(403)
    expect((await post(uri, 'PATCH', {}, { 'if-match': '"stale"' })).status).toBe(412)
    expect((await post(`/api/v1/nodes/${node}/`, 'DELETE')).status).toBe(405)
    expect((await post(uri, 'GET')).status).toBe(405)
    expect((await api.call(uri, { headers: { 'x-http-method-override': 'DELETE' } })).status).toBe(200)
    expect((await api.get(uri)).status).toBe(200)
  })
})
