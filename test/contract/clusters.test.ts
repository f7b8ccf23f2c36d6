import { byNames } from '@roost/api-types'
import { createClient } from '@roost/api-types'
import type { Client } from '@roost/api-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addNode } from '../support/agents/fleet-rows.js'

let api: TestApi
let client: Client
beforeAll(async () => {
  api = await startApi()
  client = createClient({ url: api.url, apiKey: api.key, ca: api.ca })
})
afterAll(async () => {
  await client.close()
  await api.stop()
})

const lastAudit = () => api.database.prisma.auditEvent.findFirst({ orderBy: { id: 'desc' } })

describe('clusters', () => {
  it('have id, name, resource_uri and uuid', async () => {
    const { body } = await api.get('/api/v1/clusters/1/')
    expect(body).toEqual({
      id: 1,
      name: 'default',
      resource_uri: '/api/v1/clusters/1/',
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  it('are filtered by id, name and uuid', async () => {
    const { uuid } = (await api.get('/api/v1/clusters/1/')).body
    for (const query of ['id=1', 'name=default', `uuid=${uuid}`, `uuid=${uuid.toUpperCase()}`])
      expect((await api.get(`/api/v1/clusters/?${query}`)).body.objects).toHaveLength(1)
    for (const query of ['id=2', 'name=Default', 'uuid=00000000-0000-4000-8000-000000000000'])
      expect((await api.get(`/api/v1/clusters/?${query}`)).body.objects).toEqual([])
  })

  it('are only read by REST', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await api.call('/api/v1/clusters/', { method, body: {} })).status).toBe(405)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await api.call('/api/v1/clusters/1/', { method, body: {} })).status).toBe(405)
  })
})

describe('clusters by tRPC', () => {
  it('are created, renamed and removed, each with one audit record', async () => {
    const made = await client.rpc.clusters.create.mutate({ name: 'made' })
    expect(await lastAudit()).toMatchObject({
      operator: 'admin',
      address: '127.0.0.1',
      action: 'create',
      resource: 'clusters',
      resourceId: made.id,
      changes: { name: [null, 'made'] },
    })
    const renamed = await client.rpc.clusters.change.mutate({ id: made.id, change: { name: 'renamed' } })
    expect((await api.get(`/api/v1/clusters/${made.id}/`)).body).toEqual(renamed)
    expect(await lastAudit()).toMatchObject({ action: 'change', changes: { name: ['made', 'renamed'] } })
    await client.rpc.clusters.remove.mutate({ id: made.id })
    expect((await api.get(`/api/v1/clusters/${made.id}/`)).status).toBe(404)
    expect(await lastAudit()).toMatchObject({ action: 'remove', resourceId: made.id })
    expect(await api.database.prisma.auditEvent.count()).toBe(3)
  })

  it('have a name that no other has', async () => {
    await client.rpc.clusters.create.mutate({ name: 'taken' })
    await expect(client.rpc.clusters.create.mutate({ name: 'taken' })).rejects.toMatchObject({
      message: "A cluster 'taken' already exists.",
      data: { code: 'BAD_REQUEST', httpStatus: 400 },
    })
  })

  it('are not removed while they have nodes', async () => {
    const { id } = await client.rpc.clusters.create.mutate({ name: 'full' })
    await addNode(api.database, id)
    await expect(client.rpc.clusters.remove.mutate({ id })).rejects.toMatchObject({ data: { code: 'CONFLICT' } })
  })

  it('that are unknown are NOT_FOUND, and what went wrong inside shows nothing of it', async () => {
    const error = await client.rpc.clusters.get.query({ id: 999 }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ message: 'There is no such record.', data: { code: 'NOT_FOUND' } })
    expect(JSON.stringify(error)).not.toMatch(/stack|node_modules/)
  })

  it('are not written by an operator who may only read, nor read without credentials', async () => {
    const apiKey = await api.addOperator({ role: 'read_only' })
    const reader = createClient({ url: api.url, apiKey, ca: api.ca })
    expect((await reader.rpc.clusters.list.query()).total).toBeGreaterThan(0)
    await expect(reader.rpc.clusters.create.mutate({ name: 'no' })).rejects.toMatchObject({
      data: { code: 'FORBIDDEN' },
    })
    await reader.close()
    const stranger = createClient({ url: api.url, apiKey: 'nobody:x', ca: api.ca })
    await expect(stranger.rpc.clusters.list.query()).rejects.toMatchObject({ data: { code: 'UNAUTHORIZED' } })
    await stranger.close()
  })

  it('are filtered by the same rules as in REST', async () => {
    const list = (filters: Record<string, string | number>) => client.rpc.clusters.list.query(byNames({ filters }))
    expect((await list({ name: 'default' })).objects.map(({ id }) => id)).toEqual([1])
    await expect(list({ secret: 'x' })).rejects.toMatchObject({
      message: "The 'secret' field does not allow filtering.",
      data: { code: 'BAD_REQUEST' },
    })
    await expect(list({ id: 'x' })).rejects.toMatchObject({ data: { code: 'BAD_REQUEST' } })
    await expect(client.rpc.clusters.list.query(byNames({ order_by: ['secret'] }))).rejects.toMatchObject({
      message: "No matching 'secret' field for ordering on.",
    })
  })
})
