import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addNode } from '../support/agents/fleet-rows.js'

let api: TestApi
let nodeId: number
beforeAll(async () => {
  api = await startApi()
  nodeId = await addNode(api.database, 1)
})
afterAll(() => api.stop())

const path = () => `/api/v1/nodes/${nodeId}/`
const sentence = { error: expect.stringMatching(/^[A-Z].*\.$/) }

describe('errors of a request', () => {
  it('are {"error": sentence} for 404, 405, 413 and 415', async () => {
    const text = { 'content-type': 'text/plain' }
    const answers = {
      404: await api.get('/api/v1/clusters/999/'),
      405: await api.call('/api/v1/clusters/', { method: 'PUT' }),
      413: await api.call(path(), { method: 'PATCH', body: 'x'.repeat(1024 * 1024 + 1) }),
      415: await api.call(path(), { method: 'PATCH', body: 'x', headers: text }),
    }
    for (const [status, answer] of Object.entries(answers)) {
      expect(answer.status).toBe(Number(status))
      expect(answer.body).toEqual(sentence)
    }
  })

  it('are the same for 401, 403, 409, 412, 422 and 429', async () => {
    const reader = { authorization: `apikey ${await api.addOperator({ role: 'read_only' })}` }
    const post = (body: object, headers = {}) =>
      api.call('/api/v1/gateway_deployments/', {
        method: 'POST',
        body,
        headers: { 'idempotency-key': 'one', ...headers },
      })
    const role = { create: { runsGateway: true } }
    const deploy = { node: await addNode(api.database, 1, { role }) }
    expect((await post(deploy)).status).toBe(201)
    const from = '127.0.3.1'
    const stranger = () => api.call(path(), { headers: { authorization: null }, from })
    const answers = {
      401: await stranger(),
      403: await api.patch(path(), {}, reader),
      409: await post(deploy, { 'idempotency-key': 'two' }),
      412: await api.patch(path(), {}, { 'if-match': '"old"' }),
      422: await post({ ...deploy, dry_run: true }),
      429: (await Promise.all(Array.from({ length: 30 }, stranger))).at(-1),
    }
    for (const [status, answer] of Object.entries(answers)) {
      expect([status, answer?.status]).toEqual([status, Number(status)])
      expect(answer?.body).toEqual(sentence)
    }
  })

  it('of 500 show no stack, no path and no SQL, but the id of the request', async () => {
    const { prisma } = api.database
    await prisma.$executeRaw`alter table clusters rename column name to hidden`
    try {
      const answer = await api.get('/api/v1/clusters/')
      expect(answer.status).toBe(500)
      expect(answer.body).toEqual({ error: expect.stringContaining(String(answer.headers['x-request-id'])) })
      expect(answer.text).not.toMatch(/select|column|clusters|\/|prisma/i)
    } finally {
      await prisma.$executeRaw`alter table clusters rename column hidden to name`
    }
  })
})

describe('errors of fields', () => {
  it('are {"<resource>": {"<field>": [sentence]}}, all faulty fields at once', async () => {
    const answer = await api.patch(path(), {
      enabled: 'perhaps',
      cluster_facing_ip: 'nowhere',
      other_ips: ['10.0.0.1', 'x'],
      node_role: { runs_proxy: 1 },
      hostname: 'other',
    })
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({
      nodes: {
        enabled: ['Enter true or false.'],
        cluster_facing_ip: ['Enter an IPv4 or IPv6 address.'],
        other_ips: ['1: Enter an IPv4 or IPv6 address.'],
        node_role: ['runs_proxy: Enter true or false.'],
        hostname: ['This field may not be changed.'],
      },
    })
  })

  it('change nothing', async () => {
    const before = (await api.get(path())).body
    await api.patch(path(), { enabled: false, cluster_facing_ip: 'nowhere' })
    expect((await api.get(path())).body).toEqual(before)
  })
})

describe('ids', () => {
  it('outside 32 bits, negative ones and what is no number are 404, never 500', async () => {
    const ids = ['0', '-1', '2147483648', '99999999999999999999', '1.5', '1e3', 'x', '%00', "1'--", '１', '0x1']
    for (const id of ids) {
      for (const resource of ['clusters', 'nodes', 'node_roles', 'devices', 'storage_policies'])
        expect([id, (await api.get(`/api/v1/${resource}/${id}/`)).status]).toEqual([id, 404])
      for (const rest of ['capacity/list/', 'metrics/list/', 'metrics/poll/?metrics=x', 'metrics/across/?metrics=x'])
        expect([id, (await api.get(`/api/v1/clusters/${id}/${rest}`)).status]).toEqual([id, 404])
      expect((await api.patch(`/api/v1/nodes/${id}/`, {})).status).toBe(404)
    }
  })

  it('that cannot be decoded are 404 too', async () => {
    for (const id of ['%', '%zz', '%ff%fe']) expect((await api.get(`/api/v1/nodes/${id}/`)).status).toBe(404)
  })
})

describe('a body', () => {
  const send = (body: string | Buffer) => api.call(path(), { method: 'PATCH', body })

  it('of more than 1 MiB is 413, and of 1 MiB is read', async () => {
    const padded = (length: number) => `{"x":"${'x'.repeat(length - 8)}"}`
    expect((await send(padded(1024 * 1024))).status).toBe(202)
    expect((await send(padded(1024 * 1024 + 1))).status).toBe(413)
  })

  it('that is nested deeper than 32 is 400', async () => {
    const nested = (depth: number) => `{"x":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
    expect((await send(nested(32))).status).toBe(202)
    expect((await send(nested(33))).status).toBe(400)
  })

  it('that is no JSON, or no UTF-8, is 400', async () => {
    for (const body of ['{', '{"a":}', "{'a':1}", '{"a":1,}', 'undefined', '{"a":NaN}', '{"a":01}', '\u0000'])
      expect([body, (await send(body)).status]).toEqual([body, 400])
    expect((await send(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).status).toBe(400)
  })
})
