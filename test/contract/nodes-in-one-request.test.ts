import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addNode } from '../support/agents/fleet-rows.js'

let api: TestApi
let node: number
let other: number
beforeAll(async () => {
  api = await startApi()
})
beforeEach(async () => {
  node = await addNode(api.database, 1)
  other = await addNode(api.database, 1)
})
afterAll(() => api.stop())

const pathOf = (id: number) => `/api/v1/nodes/${id}/`
const read = async (id: number) => (await api.get(pathOf(id))).body
const audits = () =>
  api.database.prisma.auditEvent.findMany({ where: { resource: 'nodes', resourceId: null }, orderBy: { id: 'asc' } })

describe('PATCH of the list', () => {
  const many = (body: unknown) => api.patch('/api/v1/nodes/', body)

  it('answers 202 with the changed objects, in the order given', async () => {
    const answer = await many({
      objects: [
        { resource_uri: pathOf(other), enabled: false },
        { id: node, cluster_facing_ip: '10.7.0.1' },
      ],
    })
    expect(answer.status).toBe(202)
    expect(answer.body).toEqual({ objects: [await read(other), await read(node)] })
    expect(answer.body.objects[0].enabled).toBe(false)
    expect(answer.body.objects[1].cluster_facing_ip).toBe('10.7.0.1')
  })

  it('takes absolute URLs of this server', async () => {
    expect((await many({ objects: [{ resource_uri: `${api.url}${pathOf(node)}`, enabled: false }] })).status).toBe(202)
  })

  it('changes all or nothing, and leaves one audit record', async () => {
    const before = [await read(node), await read(other)]
    const bad = await many({
      objects: [
        { resource_uri: pathOf(node), enabled: false },
        { resource_uri: pathOf(other), cluster_facing_ip: 'x' },
      ],
    })
    expect(bad.status).toBe(400)
    expect(bad.body).toEqual({
      nodes: { objects: [`${pathOf(other)} cluster_facing_ip: Enter an IPv4 or IPv6 address.`] },
    })
    expect([await read(node), await read(other)]).toEqual(before)
    const counted = (await audits()).length
    await many({ objects: [node, other].map((id) => ({ id, enabled: false })) })
    const records = await audits()
    expect(records).toHaveLength(counted + 1)
    expect(records.at(-1)?.changes).toEqual({ [node]: { enabled: [true, false] }, [other]: { enabled: [true, false] } })
  })

  it('with the etag of an element that no longer matches changes nothing and is 412', async () => {
    const etagOf = async (id: number) => String((await api.get(pathOf(id))).headers['etag'])
    const [one, two] = [await etagOf(node), await etagOf(other)]
    const change = (etag: string) =>
      many({
        objects: [
          { resource_uri: pathOf(node), enabled: false, etag: one },
          { resource_uri: pathOf(other), enabled: false, etag },
        ],
      })
    const before = [await read(node), await read(other)]
    expect((await change('"stale"')).status).toBe(412)
    expect([await read(node), await read(other)]).toEqual(before)
    const answer = await change(two)
    expect([answer.status, answer.body.objects.map(({ enabled }: { enabled: boolean }) => enabled)]).toEqual([
      202,
      [false, false],
    ])
    expect((await change(two)).status).toBe(412)
    const wrong = await many({ objects: [{ id: node, etag: 7 }] })
    expect(wrong.body).toEqual({ nodes: { objects: ["Element 0: 'etag' must be a string."] } })
  })

  it('with a header If-Match is 400, with the hint', async () => {
    const answer = await api.patch('/api/v1/nodes/', { objects: [] }, { 'if-match': '"x"' })
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining("'etag' in each element") }])
  })

  it('without objects is 400', async () => {
    expect((await many({})).body).toEqual({ error: "Invalid data sent: missing 'objects'" })
    expect((await many({ objects: [] })).body).toEqual({ objects: [] })
    for (const body of [
      { objects: 1 },
      { objects: [1] },
      { objects: [{}] },
      { objects: [{ resource_uri: '/api/v1/clusters/1/' }] },
    ])
      expect((await many(body)).status).toBe(400)
  })

  it('with an unknown node, or one twice, is 400', async () => {
    expect((await many({ objects: [{ resource_uri: '/api/v1/nodes/99999/' }] })).body).toEqual({
      nodes: { objects: ["Could not find the provided nodes object via resource URI '/api/v1/nodes/99999/'."] },
    })
    expect((await many({ objects: [{ id: node }, { resource_uri: pathOf(node) }] })).status).toBe(400)
  })

  it('with deleted_objects is 405', async () => {
    const answer = await many({ objects: [], deleted_objects: [pathOf(node)] })
    expect(answer.status).toBe(405)
    expect(answer.headers['allow']).toContain('PATCH')
  })
})
