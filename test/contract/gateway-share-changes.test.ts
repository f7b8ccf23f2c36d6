import { describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { shareList, useGateway } from '../support/gateway/share-requests.js'
import { shareApi } from '../support/http/shared-api.js'
import { cifsDefaults, nfsDefaults } from '../support/gateway/share-defaults.js'

const server = shareApi()
const { addGateway, get, patch, post, remove } = server

const gateway = useGateway(server)
const { share, cifs, create, faults } = gateway

const numberOf = async (id: number) =>
  (await server.api.database.prisma.gatewayShare.findUniqueOrThrow({ where: { id } })).exportNumber

describe('listing shares', () => {
  it('filters by protocol, name, enabled, cluster and node', async () => {
    await create(share({ enabled: true }))
    await create(cifs({ name: 'media' }))
    const elsewhere = await addGateway(await addCluster(server.api.database))
    await create(share({ node: elsewhere }))
    const names = async (query: string) => {
      const { body } = await get(`${shareList}?node__id__in=${gateway.nodeId},${elsewhere}&${query}`)
      return body.objects.map(({ name, protocol }: { name: string; protocol: string }) => `${protocol} ${name}`)
    }
    expect(await names('')).toEqual(['nfs docs', 'cifs media', 'nfs docs'])
    expect(await names('protocol=nfs')).toEqual(['nfs docs', 'nfs docs'])
    expect(await names('protocol=cifs')).toEqual(['cifs media'])
    expect(await names('name=media')).toEqual(['cifs media'])
    expect(await names('enabled=True')).toEqual(['nfs docs'])
    expect(await names('enabled__in=true,false&order_by=-name')).toEqual(['cifs media', 'nfs docs', 'nfs docs'])
    expect(await names(`cluster=/api/v1/clusters/${gateway.clusterId}/`)).toEqual(['nfs docs', 'cifs media'])
    expect(await names(`node=${elsewhere}`)).toEqual(['nfs docs'])
  })

  it('refuses a filter by another field, and a value of the wrong type', async () => {
    expect((await get(`${shareList}?upload_delay=1`)).body.error).toBe(
      "The 'upload_delay' field does not allow filtering.",
    )
    expect((await get(`${shareList}?enabled=maybe`)).body.error).toBe(
      'Invalid resource lookup data provided (mismatched type).',
    )
    expect((await get(`${shareList}?order_by=colour`)).body.error).toBe("No matching 'colour' field for ordering on.")
  })

  it('shows each share with the fields of its protocol alone', async () => {
    await create()
    await create(cifs())
    const { objects } = (await get(`${shareList}?cluster=${gateway.clusterId}`)).body
    expect(objects[0]).toMatchObject({ protocol: 'nfs', ...nfsDefaults })
    expect(objects[1]).toMatchObject({ protocol: 'cifs', ...cifsDefaults })
    expect(objects[0]).not.toHaveProperty('cifs_guest_ok')
    expect(objects[1]).not.toHaveProperty('root_squash')
  })
})

it('tells the totals of its lists by every filter, after creations, changes, moves and removals', async () => {
  const totals = async () => {
    const queries = [
      '',
      '&protocol=cifs',
      '&enabled=true',
      `&cluster=${gateway.clusterId}`,
      '&name=b',
      '&protocol=nfs&enabled=0',
    ]
    const answers = await Promise.all(
      queries.map((query) => get(`${shareList}?node__id__in=${gateway.nodeId},${other}${query}`)),
    )
    return answers.map(({ body }) => body.meta.total_count as number)
  }
  const other = await addGateway(await addCluster(server.api.database))
  const { resource_uri: first } = await create()
  const { resource_uri: second } = await create(cifs({ name: 'b' }))
  expect(await totals()).toEqual([2, 1, 0, 2, 1, 1])
  await patch(first, { enabled: true })
  await patch(second, { node: other, protocol: 'nfs' })
  expect(await totals()).toEqual([2, 0, 1, 1, 1, 1])
  await remove(first)
  expect(await totals()).toEqual([1, 0, 0, 0, 1, 1])
})

describe('changing a share', () => {
  it('answers 202 with the whole record, and changes only what was sent', async () => {
    const before = await create(cifs({ cifs_create_mask: '0600' }))
    const sent = { protocol: 'cifs', objectstore_container: 'other', cifs_guest_ok: false }
    const answer = await patch(before.resource_uri, sent)
    expect(answer.status).toBe(202)
    expect(answer.body).toEqual({ ...before, ...sent })
    expect((await get(before.resource_uri)).body).toEqual(answer.body)
  })

  it("gives the new protocol's defaults when the protocol changes", async () => {
    const { root_squash: _, secure: __, ...before } = await create(share({ root_squash: true, access_mode: 'ro' }))
    const there = await patch(before.resource_uri, { protocol: 'cifs', cifs_guest_ok: false, secure: 'x' })
    expect(there.body).toEqual({ ...before, protocol: 'cifs', ...cifsDefaults, cifs_guest_ok: false })
    const back = await patch(before.resource_uri, { protocol: 'nfs', cifs_create_mask: 'x' })
    expect(back.body).toEqual({ ...before, protocol: 'nfs', ...nfsDefaults })
  })

  it('ignores the settings of the other protocol, and keeps those of its own', async () => {
    const before = await create(cifs({ cifs_directory_mask: '0700' }))
    const answer = await patch(before.resource_uri, { root_squash: 'maybe', secure: true, enabled: true })
    expect(answer.body).toEqual({ ...before, enabled: true })
  })

  it('names every faulty field at once, of both kinds', async () => {
    const { resource_uri: uri } = await create(cifs())
    const answer = await patch(uri, { name: '', cifs_create_mask: 'x', protocol: 'cifs' })
    expect(answer.status).toBe(400)
    expect(Object.keys(answer.body.gateway_shares).toSorted()).toEqual(['cifs_create_mask', 'name'])
  })

  it('does nothing with an empty body', async () => {
    const { password: _, ...before } = await create(cifs({ password: 'correct-horse' }))
    const { etag } = (await get(before.resource_uri)).headers
    expect((await patch(before.resource_uri, {})).body).toEqual(before)
    expect((await get(before.resource_uri)).headers['etag']).toBe(etag)
  })

  it('takes back a whole record', async () => {
    const before = await create()
    expect((await patch(before.resource_uri, before)).body).toEqual(before)
    expect((await patch(before.resource_uri, { ...before, id: 9, resource_uri: 'x' })).status).toBe(202)
  })

  it('moves it to another gateway node only', async () => {
    const { resource_uri: uri } = await create()
    const plain = await addNode(server.api.database, gateway.clusterId)
    expect(faults(await patch(uri, { node: plain }))).toHaveProperty('node')
    const other = `/api/v1/nodes/${await addGateway(await addCluster(server.api.database))}/`
    expect((await patch(uri, { node: other })).body.node).toBe(other)
  })

  it('takes the cluster of its node and no other, and does not show it', async () => {
    const { resource_uri: uri } = await create()
    const right = await patch(uri, { cluster: `/api/v1/clusters/${gateway.clusterId}/` })
    expect(right.status).toBe(202)
    expect(right.body).not.toHaveProperty('cluster')
    const elsewhere = await addCluster(server.api.database)
    for (const cluster of [elsewhere, `/api/v1/clusters/${elsewhere}/`, 999_999]) {
      const answer = await patch(uri, { cluster })
      expect(answer.status).toBe(400)
      expect(faults(answer)).toEqual({ cluster: ["This is not the cluster of the share's node."] })
    }
    expect(faults(await patch(uri, { cluster: 'x' }))).toEqual({
      cluster: ['Enter a resource URI such as /api/v1/clusters/1/, or an id.'],
    })
    const moved = { node: await addGateway(elsewhere), cluster: elsewhere }
    expect((await patch(uri, moved)).status).toBe(202)
  })

  it('is refused with an If-Match that no longer matches', async () => {
    const { resource_uri: uri } = await create(cifs())
    const headers = { 'if-match': String((await get(uri)).headers['etag']) }
    expect((await patch(uri, { password: 'correct-horse' }, headers)).status).toBe(202)
    expect((await patch(uri, { enabled: true }, headers)).status).toBe(412)
  })

  it('answers 404 for a share that there is not', async () => {
    expect((await patch(`${shareList}999999/`, {})).status).toBe(404)
  })
})

describe('the export number of a share', () => {
  it('is given once for each node, kept through changes, and never given again', async () => {
    const first = await create()
    const second = await create(cifs())
    expect([await numberOf(first.id), await numberOf(second.id)]).toEqual([1, 2])
    await patch(second.resource_uri, { name: 'media', protocol: 'nfs' })
    expect(await numberOf(second.id)).toBe(2)
    await remove(second.resource_uri)
    const third = await create(cifs())
    expect(await numberOf(third.id)).toBe(3)
  })

  it('is a new one on a new node, and stays used on the old', async () => {
    const moving = await create()
    const other = await addGateway(gateway.clusterId)
    await create(share({ node: other }))
    await patch(moving.resource_uri, { node: other, name: 'moved' })
    expect(await numberOf(moving.id)).toBe(2)
    await patch(moving.resource_uri, { node: gateway.nodeId })
    expect(await numberOf(moving.id)).toBe(2)
  })

  it('ends at 65,535: then the node takes no more shares, in a sentence', async () => {
    await server.api.database.prisma.exportCounter.create({ data: { nodeId: gateway.nodeId, last: 65_534 } })
    expect(await numberOf((await create()).id)).toBe(65_535)
    const answer = await post(shareList, cifs())
    expect(answer.status).toBe(409)
    expect(answer.body.error).toContain('All export IDs of this node are in use')
  })
})

describe('removing a share', () => {
  it('answers 204, and 404 from then on; its name is free again', async () => {
    const { resource_uri: uri } = await create()
    expect(await remove(uri.slice(0, -1))).toMatchObject({ status: 204, text: '' })
    expect((await get(uri)).status).toBe(404)
    expect((await post(shareList, share())).status).toBe(201)
  })

  it('is refused with an If-Match that no longer matches', async () => {
    const { resource_uri: uri } = await create()
    const { etag } = (await get(uri)).headers
    await patch(uri, { enabled: true })
    expect((await remove(uri, { 'if-match': String(etag) })).status).toBe(412)
    expect((await remove(uri, { 'if-match': String((await get(uri)).headers['etag']) })).status).toBe(204)
  })
})

it('describes the fields of both protocols in schema/', async () => {
  const { body } = await get(`${shareList}schema/`)
  expect(Object.keys(body.fields)).toEqual(
    expect.arrayContaining(['name', 'root_squash', 'cifs_create_mask', 'password', 'clients_allowed_list']),
  )
  expect(body.fields.cifs_create_mask.default).toBe('0664')
  expect(body.fields.node).toMatchObject({ type: 'related', related_type: 'to_one' })
})
