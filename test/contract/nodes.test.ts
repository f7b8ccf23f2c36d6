import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'

let api: TestApi
let node: number
beforeAll(async () => {
  api = await startApi()
})
beforeEach(async () => {
  node = await addNode(api.database, 1, {
    hostname: `n-${Date.now()}`,
    clusterFacingIp: '10.0.0.1',
    cpuCores: 8,
    memoryBytes: 25_195_229_184n,
  })
})
afterAll(() => api.stop())

const pathOf = (id: number) => `/api/v1/nodes/${id}/`
const read = async (id: number) => (await api.get(pathOf(id))).body
const rowOf = (id: number) => api.database.prisma.node.findUniqueOrThrow({ where: { id } })
const audits = (resourceId: number | null) =>
  api.database.prisma.auditEvent.findMany({ where: { resource: 'nodes', resourceId }, orderBy: { id: 'asc' } })

describe('a node', () => {
  it('has the fields of the contract', async () => {
    const { role } = await api.database.prisma.node.findUniqueOrThrow({ where: { id: node }, include: { role: true } })
    expect(await read(node)).toEqual({
      id: node,
      resource_uri: pathOf(node),
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      hostname: expect.any(String),
      cluster: '/api/v1/clusters/1/',
      enabled: true,
      cpu_cores: 8,
      ram_gb: 25_195_229_184 / 2 ** 30,
      cluster_facing_ip: '10.0.0.1',
      outward_facing_ip: null,
      replication_facing_ip: null,
      other_ips: [],
      node_role: {
        id: role?.id,
        resource_uri: `/api/v1/node_roles/${role?.id}/`,
        runs_account_container: false,
        runs_gateway: false,
        runs_object: false,
        runs_proxy: false,
      },
      roles_granted: [],
      proxy_authentication: null,
      state: 'pending',
      state_detail: null,
      config_state: 'unknown',
      last_seen: null,
      maintenance_until: null,
      agent_version: null,
      problems: [],
    })
  })

  it('is filtered by id, enabled, hostname, cluster, node_role, cpu_cores, ram_gb, uuid and state', async () => {
    const cluster = await addCluster(api.database)
    const id = await addNode(api.database, cluster, {
      hostname: 'wanted',
      enabled: false,
      cpuCores: 77,
      memoryBytes: 33_567_891_456n,
      state: 'stale',
    })
    const { uuid, node_role: role } = await read(id)
    const queries = [`id=${id}`, 'enabled=false', 'hostname=wanted', `cluster=${cluster}`, `node_role=${role.id}`]
    for (const query of [
      ...queries,
      'cpu_cores=77',
      `ram_gb=${33_567_891_456 / 2 ** 30}`,
      `uuid=${uuid}`,
      'state=stale',
      `node_role=${role.resource_uri}`,
    ]) {
      const { objects } = (await api.get(`/api/v1/nodes/?${query}`)).body
      expect([query, objects.map((one: { id: number }) => one.id)]).toEqual([query, [id]])
    }
  })

  it('is filtered by each of its roles', async () => {
    const cluster = await addCluster(api.database)
    const id = await addNode(api.database, cluster, { role: { create: { runsProxy: true, runsObject: true } } })
    const found = async (query: string) =>
      (await api.get(`/api/v1/nodes/?cluster=${cluster}&${query}`)).body.objects.map((one: { id: number }) => one.id)
    for (const query of ['runs_proxy=true', 'runs_object=1', 'runs_gateway=false', 'runs_account_container=False'])
      expect([query, await found(query)]).toEqual([query, [id]])
    for (const query of ['runs_proxy=false', 'runs_object=0', 'runs_gateway=true', 'runs_account_container=1'])
      expect([query, await found(query)]).toEqual([query, []])
    expect((await api.get('/api/v1/nodes/?runs_gateway=yes')).status).toBe(400)
  })

  it('is not found by a number that cannot be an id', async () => {
    for (const query of ['ram_gb=1e300', 'ram_gb=-1e300', 'cpu_cores=999999999999', 'node_role=99999999999'])
      expect([query, (await api.get(`/api/v1/nodes/?${query}`)).body.objects]).toEqual([query, []])
  })

  it('is neither made nor removed by REST', async () => {
    expect((await api.call('/api/v1/nodes/', { method: 'POST', body: {} })).status).toBe(405)
    expect((await api.call(pathOf(node), { method: 'DELETE' })).status).toBe(405)
  })
})

describe('node_roles', () => {
  it('is a read-only resource of its own', async () => {
    const { node_role: role } = await read(node)
    expect((await api.get(role.resource_uri)).body).toEqual(role)
    await api.patch(pathOf(node), { node_role: { runs_gateway: true } })
    const { objects } = (await api.get('/api/v1/node_roles/?runs_gateway=true')).body
    expect(objects.map(({ id }: { id: number }) => id)).toEqual([role.id])
    for (const method of ['POST', 'PATCH', 'DELETE'])
      expect((await api.call(role.resource_uri, { method, body: {} })).status).toBe(405)
  })
})

describe('PATCH of one node', () => {
  it('answers 202 with the whole node, by both paths', async () => {
    for (const path of [pathOf(node), `/api/v1/node/${node}`, `/api/v1/node/${node}/`]) {
      const answer = await api.patch(path, { enabled: false })
      expect(answer.status).toBe(202)
      expect(answer.body).toEqual(await read(node))
    }
    expect((await api.get(`/api/v1/node/${node}`)).status).toBe(405)
  })

  it('changes the fields sent and no other', async () => {
    const before = await read(node)
    const change = {
      enabled: false,
      cluster_facing_ip: '10.1.0.1',
      outward_facing_ip: '2001:db8::1',
      replication_facing_ip: null,
      other_ips: ['10.2.0.1', 'fe80::1'],
    }
    const { body } = await api.patch(pathOf(node), { ...change, node_role: { runs_proxy: true } })
    expect(body).toEqual({
      ...before,
      ...change,
      node_role: { ...before.node_role, runs_proxy: true },
      roles_granted: ['runs_proxy'],
    })
  })

  it('of {} changes nothing', async () => {
    const before = await read(node)
    const answer = await api.patch(pathOf(node), {})
    expect([answer.status, answer.body]).toEqual([202, before])
  })

  it('takes the whole record back as old clients send it', async () => {
    const before = await read(node)
    const answer = await api.patch(pathOf(node), { ...before, enabled: false, state: 'offline', last_seen: null })
    expect([answer.status, answer.body]).toEqual([202, { ...before, enabled: false }])
    const asUrl = { cluster: `${api.url}/api/v1/clusters/1/` }
    expect((await api.patch(pathOf(node), asUrl)).status).toBe(202)
    expect((await api.patch(pathOf(node), { cluster: 1 })).status).toBe(202)
  })

  it('refuses another value of a field that may not change, and ignores id and resource_uri', async () => {
    const fixed = { hostname: 'x', uuid: 'x', cpu_cores: 1, ram_gb: 1, cluster: 2 }
    const answer = await api.patch(pathOf(node), fixed)
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.nodes).toSorted()).toEqual(Object.keys(fixed).toSorted())
    expect((await api.patch(pathOf(node), { id: 77, resource_uri: '/api/v1/nodes/77/' })).status).toBe(202)
  })

  it('makes what is set to another value the operator’s, and nothing that is the same', async () => {
    const before = await read(node)
    await api.patch(pathOf(node), {
      ...before,
      other_ips: ['10.9.0.1'],
      node_role: { ...before.node_role, runs_object: true },
    })
    expect((await rowOf(node)).operatorFields).toEqual(['other_ips', 'runs_object'])
    await api.patch(pathOf(node), { enabled: false })
    expect((await rowOf(node)).operatorFields).toEqual(['other_ips', 'runs_object', 'enabled'])
  })

  it('leaves one audit record: who, when, from where, what', async () => {
    const answer = await api.patch(pathOf(node), { enabled: false })
    const records = await audits(node)
    expect(records).toHaveLength(1)
    expect(records[0]).toMatchObject({
      operator: 'admin',
      address: '127.0.0.1',
      requestId: answer.headers['x-request-id'],
      action: 'change',
      changes: { enabled: [true, false] },
    })
    expect(Date.now() - (records[0]?.at.getTime() ?? 0)).toBeLessThan(60_000)
  })

  it('leaves no audit record where it is refused', async () => {
    await api.patch(pathOf(node), { enabled: 'x' })
    await api.patch(pathOf(node), { enabled: false }, { 'if-match': '"old"' })
    expect(await audits(node)).toEqual([])
  })
})

describe('ETag and If-Match', () => {
  it('refuse with 412 what was changed meanwhile', async () => {
    const { etag } = (await api.get(pathOf(node))).headers
    const first = await api.patch(pathOf(node), { enabled: false }, { 'if-match': String(etag) })
    expect(first.status).toBe(202)
    const second = await api.patch(pathOf(node), { enabled: true }, { 'if-match': String(etag) })
    expect([second.status, second.body]).toEqual([412, { error: expect.any(String) }])
    const third = await api.patch(pathOf(node), { enabled: true }, { 'if-match': String(first.headers['etag']) })
    expect(third.status).toBe(202)
  })

  it('do not mind what moves by itself', async () => {
    const { etag } = (await api.get(pathOf(node))).headers
    await api.database.prisma.node.update({ where: { id: node }, data: { lastSeen: new Date(), state: 'online' } })
    expect((await api.get(pathOf(node))).headers['etag']).toBe(etag)
    expect((await api.patch(pathOf(node), { enabled: false }, { 'if-match': `"x", ${String(etag)}` })).status).toBe(202)
  })

  it('let one of two through that change the same record at once', async () => {
    const { etag } = (await api.get(pathOf(node))).headers
    const change = (ip: string) => api.patch(pathOf(node), { cluster_facing_ip: ip }, { 'if-match': String(etag) })
    const answers = await Promise.all([change('10.5.0.1'), change('10.5.0.2')])
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 412]))
    expect(await audits(node)).toHaveLength(1)
  })

  it('that are missing let the last write win, and both are audited', async () => {
    const change = (ip: string) => api.patch(pathOf(node), { cluster_facing_ip: ip })
    const answers = await Promise.all([change('10.6.0.1'), change('10.6.0.2')])
    expect(answers.map(({ status }) => status)).toEqual([202, 202])
    expect(await audits(node)).toHaveLength(2)
  })

  it('of * hold for whatever is there', async () => {
    expect((await api.patch(pathOf(node), { enabled: false }, { 'if-match': '*' })).status).toBe(202)
  })
})
