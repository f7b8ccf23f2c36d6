import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'

let api: TestApi
let nodeId: number
beforeAll(async () => {
  api = await startApi()
  await addCluster(api.database, 'second')
  await addCluster(api.database, 'third')
  nodeId = await addNode(api.database, 1, { hostname: 'n1' })
})
afterAll(() => api.stop())

describe('every path', () => {
  it('answers with and without its trailing slash, directly', async () => {
    const paths = ['/api', '/api/v1', '/api/v1/clusters', '/api/v1/clusters/1', '/api/v1/clusters/schema', '/docs']
    for (const path of [...paths, '/api/v1/clusters/set/1;2', '/api/v1/clusters/1/capacity/list', '/healthz']) {
      const [bare, slashed] = [await api.get(path), await api.get(`${path}/`)]
      expect([path, bare.status, slashed.status]).toEqual([path, 200, 200])
    }
    for (const path of [`/api/v1/nodes/${nodeId}`, `/api/v1/nodes/${nodeId}/`, `/api/v1/node/${nodeId}/`])
      expect((await api.patch(path, {})).status).toBe(202)
  })

  it('is written with its slash by the server', async () => {
    const { body } = await api.get('/api/v1/clusters?limit=1')
    expect(body.meta.next).toBe('/api/v1/clusters/?limit=1&offset=1')
    expect(body.objects[0].resource_uri).toBe('/api/v1/clusters/1/')
  })

  it('answers HEAD as GET without the body', async () => {
    const answer = await api.call('/api/v1/clusters/', { method: 'HEAD' })
    expect(answer.status).toBe(200)
    expect(answer.text).toBe('')
    expect(Number(answer.headers['content-length'])).toBeGreaterThan(0)
  })
})

describe('the index', () => {
  it('lists each resource with its list and its schema', async () => {
    const { body } = await api.get('/api/v1/')
    for (const name of ['clusters', 'nodes', 'node_roles', 'devices', 'storage_policies'])
      expect(body[name]).toEqual({ list_endpoint: `/api/v1/${name}/`, schema: `/api/v1/${name}/schema/` })
    for (const { list_endpoint: list, schema } of Object.values<{ list_endpoint: string; schema: string }>(body)) {
      expect((await api.get(list)).status).toBe(200)
      expect((await api.get(schema)).status).toBe(200)
    }
  })

  it('of versions is at /api', async () => {
    expect((await api.get('/api')).body).toEqual({ versions: [{ version: 'v1', uri: '/api/v1/' }] })
  })
})

describe('schema/', () => {
  it('describes fields, methods, filters and ordering', async () => {
    const { body } = await api.get('/api/v1/nodes/schema/')
    expect(body).toMatchObject({
      allowed_detail_http_methods: ['get', 'patch'],
      allowed_list_http_methods: ['get', 'patch'],
      default_format: 'application/json',
      default_limit: 20,
    })
    expect(body.fields.id).toMatchObject({ type: 'integer', nullable: false, readonly: true, unique: true })
    expect(body.fields.hostname).toMatchObject({ type: 'string', readonly: true, blank: false })
    expect(body.fields.enabled).toMatchObject({ type: 'boolean', readonly: false, nullable: false })
    expect(body.fields.ram_gb).toMatchObject({ type: 'float', nullable: true, help_text: 'Memory in GB of 2^30 bytes' })
    expect(body.fields.other_ips).toMatchObject({ type: 'list', readonly: false })
    expect(body.fields.last_seen).toMatchObject({ type: 'datetime', nullable: true })
    expect(body.fields.cluster).toMatchObject({ type: 'related', related_type: 'to_one' })
    expect(body.fields.node_role).toMatchObject({ type: 'dict' })
    for (const field of Object.values<object>(body.fields))
      expect(Object.keys(field)).toEqual(
        expect.arrayContaining(['type', 'nullable', 'blank', 'readonly', 'unique', 'default', 'help_text']),
      )
    expect(Object.keys(body.filtering)).toEqual(expect.arrayContaining(['hostname', 'cluster', 'state', 'uuid']))
    expect(body.ordering).toContain('hostname')
  })

  it('has the default of the protocol, the types of the relations, and what may be empty', async () => {
    const fieldsOf = async (resource: string) => (await api.get(`/api/v1/${resource}/schema/`)).body.fields
    const share = await fieldsOf('gateway_shares')
    expect(share.protocol).toMatchObject({ default: 'nfs', type: 'string', readonly: false })
    expect(share.clients_allowed_list).toMatchObject({ default: '', blank: true })
    expect(share.name).toMatchObject({ blank: false, readonly: false })
    const job = await fieldsOf('gateway_deployments')
    for (const [name, related] of [
      ['node', 'nodes'],
      ['cluster', 'clusters'],
    ] as const)
      expect(job[name]).toMatchObject({
        type: 'related',
        related_type: 'to_one',
        related_schema: `/api/v1/${related}/schema/`,
        nullable: true,
      })
    expect(job.message).toMatchObject({ blank: true })
    expect(job.targets).toMatchObject({ type: 'list', blank: true })
    expect((await fieldsOf('nodes')).other_ips).toMatchObject({ blank: true })
    const { filtering } = (await api.get('/api/v1/audit_events/schema/')).body
    expect(filtering.at).toEqual(['gte', 'lt'])
  })

  it('names exactly the fields of the record', async () => {
    const [schema, record] = [await api.get('/api/v1/nodes/schema/'), await api.get(`/api/v1/nodes/${nodeId}/`)]
    expect(Object.keys(schema.body.fields).toSorted()).toEqual(Object.keys(record.body).toSorted())
  })
})

describe('set/', () => {
  it('gives the records in the order asked', async () => {
    const { body } = await api.get('/api/v1/clusters/set/3;1/')
    expect(body.objects.map(({ id }: { id: number }) => id)).toEqual([3, 1])
    expect(body).not.toHaveProperty('not_found')
  })

  it('names what is missing', async () => {
    const { body, status } = await api.get('/api/v1/clusters/set/1;77;3;x/')
    expect(status).toBe(200)
    expect(body.objects.map(({ id }: { id: number }) => id)).toEqual([1, 3])
    expect(body.not_found).toEqual(['77', 'x'])
  })

  it('is 414 above its length, and says how many ids it got', async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, i) => i + 1_000_000_000).join(';')
    expect((await api.get(`/api/v1/clusters/set/${ids(372)}/`)).body.not_found).toHaveLength(372)
    const { status, body } = await api.get(`/api/v1/clusters/set/${ids(373)}/`)
    expect([status, body]).toEqual([
      414,
      { error: expect.stringMatching(/up to 4096 .* 373 ids with 4102 characters/) },
    ])
    expect((await api.get(`/api/v1/clusters/set/${ids(5000)}/`)).status).toBe(414)
  })

  it('takes an escaped semicolon and hundreds of ids', async () => {
    expect((await api.get('/api/v1/clusters/set/1%3B2/')).body.objects).toHaveLength(2)
    const many = Array.from({ length: 400 }, (_, i) => i + 1).join(';')
    const { body } = await api.get(`/api/v1/clusters/set/${many}/`)
    expect(body.objects).toHaveLength(3)
    expect(body.not_found).toHaveLength(397)
  })
})

describe('GET /', () => {
  it('is a page for people', async () => {
    const answer = await api.get('/')
    expect(answer.headers['content-type']).toContain('text/html')
    expect(answer.text).toContain('<div id="root">')
  })

  it('opens a path of the API in the documentation', async () => {
    const to = async (url: string) => (await api.get(`/?url=${encodeURIComponent(url)}`)).headers['location']
    expect(await to('/api/v1/nodes/')).toBe('/docs/#/nodes/get_nodes')
    expect(await to('/api/v1/nodes/3/?format=json')).toBe('/docs/#/nodes/get_nodes_id')
    expect(await to('/api/v1/clusters/1/capacity/list/')).toBe('/docs/#/clusters/get_clusters_id_capacity_list')
    expect(await to('/api/v1/unknown/')).toBe('/docs/')
  })
})

describe('the format', () => {
  it('is JSON for format=json, and for every other value', async () => {
    for (const format of ['json', 'xml', 'csv', ''])
      expect((await api.get(`/api/v1/clusters/?format=${format}`)).body.meta.total_count).toBe(3)
  })

  it('may be named on every kind of path', async () => {
    const paths = ['', 'clusters/schema/', 'clusters/set/1;2/', 'clusters/1/', 'clusters/1/capacity/list/']
    const metrics = ['metrics/list/?', 'metrics/poll/?metrics=x&', 'metrics/across/?metrics=x&']
    const usage = ['storage/0/', 'storage/0/a/detail/', 'transfer/total/'].map(
      (rest) => `utilization/${rest}?start=2026-11-20&`,
    )
    for (const rest of [...metrics, ...usage]) paths.push(`clusters/1/${rest}`)
    for (const path of paths) {
      const separator = path.includes('?') ? '' : '?'
      const answer = await api.get(`/api/v1/${path}${separator}format=json`)
      expect([path, answer.status, answer.headers['content-type']]).toEqual([
        path,
        200,
        'application/json; charset=utf-8',
      ])
    }
    expect((await api.call(`/api/v1/nodes/${nodeId}/?format=json`, { method: 'PATCH', body: {} })).status).toBe(202)
  })

  it('is JSON whatever the Accept header says', async () => {
    for (const accept of [
      'text/html',
      'application/xml',
      'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
      '*/*',
      'x',
    ]) {
      const answer = await api.get('/api/v1/clusters/', { accept })
      expect(answer.status).toBe(200)
      expect(answer.headers['content-type']).toContain('application/json')
    }
  })
})

describe('a request body', () => {
  const path = () => `/api/v1/nodes/${nodeId}/`
  const send = (body: string | Buffer, headers = {}) => api.call(path(), { method: 'PATCH', body, headers })

  it('must be an object', async () => {
    for (const body of ['[]', '1', '"x"', 'null', 'true', ''])
      expect([body, (await send(body)).status]).toEqual([body, 400])
    expect((await send('{}')).status).toBe(202)
  })

  it('is application/json, with parameters if it likes', async () => {
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])
      expect((await send('{}', { 'content-type': type })).status).toBe(202)
  })

  it('counts as JSON without a Content-Type', async () => {
    expect((await send('{}', { 'content-type': null })).status).toBe(202)
  })

  it('of another type is 415', async () => {
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'application/json-patch+json',
      'x',
    ]
    for (const type of types) {
      const answer = await send('{}', { 'content-type': type })
      expect([type, answer.status]).toEqual([type, 415])
      expect(answer.body).toEqual({ error: expect.any(String) })
    }
  })

  it('ignores unknown fields and never echoes them', async () => {
    const answer = await api.patch(path(), { enabled: true, no_such_field: 'echo' })
    expect(answer.status).toBe(202)
    expect(answer.text).not.toContain('echo')
  })
})

describe('every answer', () => {
  it('to a successful GET carries Cache-Control: no-cache', async () => {
    for (const path of ['/api/v1/clusters/', '/api/v1/clusters/1/', '/api/v1/', '/api/v1/clusters/1/metrics/list/'])
      expect((await api.get(path)).headers['cache-control']).toBe('no-cache')
  })

  it('carries an X-Request-Id, which is the caller’s where that is harmless', async () => {
    const requests = [
      api.get('/api/v1/clusters/'),
      api.get('/nothing'),
      api.get('/api/v1/%ff'),
      api.get('/healthz'),
      api.call('/api/v1/clusters/', { method: 'DELETE' }),
      api.get('/api/v1/clusters/', { authorization: null }),
      api.get('/nothing', { 'x-long': 'x'.repeat(70_000) }),
      ...['/', '/metrics', '/openapi.json', '/docs/', '/docs/static/swagger-ui.css'].map((path) => api.get(path)),
    ]
    const ids = (await Promise.all(requests)).map(({ headers }) => headers['x-request-id'])
    for (const id of ids) expect(id).toMatch(/^[\w-]{8,}$/)
    expect(new Set(ids).size).toBe(ids.length)
    expect((await api.get('/healthz', { 'x-request-id': 'mine-1' })).headers['x-request-id']).toBe('mine-1')
    expect((await api.get('/healthz', { 'x-request-id': 'a b"\\' })).headers['x-request-id']).not.toContain(' ')
  })
})
