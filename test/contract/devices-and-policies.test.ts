import { describe, expect, it } from 'vitest'
import { useApi } from '../support/http/shared-api.js'
import { addCluster, addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'

const api = await useApi()
const { prisma } = api.database
const cluster = await addCluster(api.database, 'prod')
const node = await addNode(api.database, cluster, { hostname: 'store-1' })
const silver = await addPolicy(api.database, cluster, 1, 'silver')
const gold = await addPolicy(api.database, cluster, 0, 'gold')
const device = await addDevice(api.database, cluster, node, {
  name: 'd3',
  fsUuid: '5f0c2b1e-0000-4000-8000-000000000001',
  serial: 'WX-1',
  model: 'Ultrastar',
  mountPoint: '/srv/node/d3',
  fsType: 'xfs',
  isRotational: true,
  sizeBytes: 9_007_199_254_740_991n,
  totalBytes: 52_710_469_632n,
  freeBytes: 31_529_938_944n,
  availableBytes: 28_845_584_384n,
  lastSeen: new Date('2026-11-20T10:00:00Z'),
  rings: [entry('account', 100), entry('object', 0), entry('object-7', 0)],
})
function entry(ring: string, weight: number) {
  const replication = { replication_ip: '10.1.0.1', replication_port: 6200 }
  return { ring, region: 1, zone: 2, weight, partitions: 54, ...replication }
}
const policies = [silver, gold].map((policyId) => ({ deviceId: device, policyId }))
await prisma.devicePolicy.createMany({ data: policies })
await addDevice(api.database, cluster, node, { name: 'd4', status: 'missing' })

interface Named {
  readonly name: string
}
const names = async (path: string) => (await api.get(path)).body.objects.map(({ name }: Named) => name)

describe('a device', () => {
  it('has the fields of the contract, its policies in the order of their indexes', async () => {
    expect((await api.get(`/api/v1/devices/${device}/`)).body).toEqual({
      id: device,
      resource_uri: `/api/v1/devices/${device}/`,
      node: `/api/v1/nodes/${node}/`,
      cluster: `/api/v1/clusters/${cluster}/`,
      name: 'd3',
      uuid: '5f0c2b1e-0000-4000-8000-000000000001',
      serial: 'WX-1',
      model: 'Ultrastar',
      mount_point: '/srv/node/d3',
      fs_type: 'xfs',
      is_rotational: true,
      size_bytes: Number.MAX_SAFE_INTEGER,
      raw_bytes: 50_026_115_072,
      used_bytes: 21_180_530_688,
      free_bytes: 28_845_584_384,
      used_pct: expect.closeTo(42.3389, 4),
      status: 'ok',
      policies: ['gold', 'silver'],
      rings: [
        { ...entry('account', 100), policy: null },
        { ...entry('object', 0), policy: 'gold' },
        { ...entry('object-7', 0), policy: null },
      ],
      is_drained: false,
      days_until_full: null,
      last_seen: '2026-11-20T10:00:00.000Z',
    })
  })

  it('has null for what the machine did not tell', async () => {
    const { objects } = (await api.get('/api/v1/devices/?name=d4')).body
    expect(objects[0]).toMatchObject({
      uuid: null,
      serial: null,
      mount_point: null,
      is_rotational: null,
      size_bytes: null,
      raw_bytes: null,
      used_bytes: null,
      free_bytes: null,
      used_pct: null,
      status: 'missing',
      policies: [],
      rings: [],
      is_drained: false,
      last_seen: null,
    })
  })

  it('is drained when its weight is 0 in all of its rings', async () => {
    const rings = [entry('account', 0), entry('object', 0)]
    const id = await addDevice(api.database, cluster, node, { rings })
    expect((await api.get(`/api/v1/devices/${id}/`)).body).toMatchObject({ is_drained: true, status: 'ok' })
    await prisma.device.delete({ where: { id } })
  })

  it('is filtered by id, node, cluster, status, name and policy', async () => {
    const queries = [`id=${device}`, 'name=d3', 'status=ok', 'policy=gold', 'policy__in=silver,none']
    for (const query of queries) expect([query, await names(`/api/v1/devices/?${query}`)]).toEqual([query, ['d3']])
    for (const query of [`node=${node}`, `cluster=${cluster}`, 'node__hostname=store-1', 'cluster__name=prod'])
      expect([query, await names(`/api/v1/devices/?${query}`)]).toEqual([query, ['d3', 'd4']])
    for (const query of ['policy=none', 'cluster=1', 'status=failed'])
      expect([query, await names(`/api/v1/devices/?${query}`)]).toEqual([query, []])
  })

  it('shows its newest usage before that is stored', async () => {
    const { intake } = api.context.capacity
    const id = await addDevice(api.database, cluster, node, { agentKey: 'd9', name: 'd9' })
    await intake.devicesChanged(node)
    for (const [time, free] of [
      [1_800_000_000, 90],
      [1_800_000_010, 80],
    ] as const) {
      const space = { total_bytes: 100, free_bytes: free, available_bytes: free }
      intake.deviceUsage(node, { type: 'device_usage', time, devices: [{ key: 'd9', status: 'ok', figures: space }] })
      await api.context.capacity.writer.flush()
      const { body } = await api.get(`/api/v1/devices/${id}/`)
      expect(body).toMatchObject({ free_bytes: free, last_seen: new Date(time * 1000).toISOString() })
    }
    expect((await api.database.prisma.deviceUsage.findUniqueOrThrow({ where: { deviceId: id } })).freeBytes).toBe(90n)
    await api.database.prisma.device.delete({ where: { id } })
    await intake.devicesChanged(node)
  })

  it('is not changed by operators', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await api.call('/api/v1/devices/', { method, body: {} })).status).toBe(405)
    for (const method of ['POST', 'PUT', 'PATCH'])
      expect((await api.call(`/api/v1/devices/${device}/`, { method, body: {} })).status).toBe(405)
  })

  it('is removed when it is retired or missing, with an audit event, and stays otherwise', async () => {
    for (const status of ['ok', 'unmounted', 'failed', 'unmanaged']) {
      const id = await addDevice(api.database, cluster, node, { status })
      const refused = await api.call(`/api/v1/devices/${id}/`, { method: 'DELETE' })
      expect([refused.status, refused.body.error]).toEqual([
        409,
        expect.stringMatching(
          /^The device d-.* is .*\. Only a retired or missing device can be removed: remove it from/,
        ),
      ])
      await prisma.device.delete({ where: { id } })
    }
    for (const status of ['retired', 'missing']) {
      const id = await addDevice(api.database, cluster, node, { status, agentKey: null })
      const path = `/api/v1/devices/${id}/`
      expect((await api.call(path, { method: 'DELETE', headers: { 'if-match': '"another"' } })).status).toBe(412)
      const { etag = '' } = (await api.get(path)).headers as { readonly etag?: string }
      expect((await api.call(path, { method: 'DELETE', headers: { 'if-match': etag } })).status).toBe(204)
      expect((await api.get(path)).status).toBe(404)
      const events = (await api.get(`/api/v1/audit_events/?resource=devices&resource_id=${id}`)).body.objects
      expect(events).toMatchObject([{ action: 'remove', changes: { name: [expect.any(String), null] } }])
    }
  })

  it('stays retired while its agent reports its filesystem', async () => {
    const { intake, writer } = api.context.capacity
    const id = await addDevice(api.database, cluster, node, { agentKey: '/srv/node/d8', name: 'd8', status: 'retired' })
    await intake.devicesChanged(node)
    const space = { total_bytes: 100, free_bytes: 60, available_bytes: 60 }
    const devices = [{ key: '/srv/node/d8', status: 'unmanaged' as const, figures: space }]
    intake.deviceUsage(node, { type: 'device_usage', time: 1_795_000_000, devices })
    await writer.flush()
    expect((await api.get(`/api/v1/devices/${id}/`)).body).toMatchObject({ status: 'retired', used_bytes: 40 })
    expect((await api.call(`/api/v1/devices/${id}/`, { method: 'DELETE' })).status).toBe(204)
    expect(api.context.capacity.usageOf(id)).toBeUndefined()
  })
})

describe('a storage policy', () => {
  it('has the fields of the contract', async () => {
    await api.context.capacity.intake.devicesChanged(node)
    expect((await api.get(`/api/v1/storage_policies/${silver}/`)).body).toEqual({
      id: silver,
      resource_uri: `/api/v1/storage_policies/${silver}/`,
      cluster: `/api/v1/clusters/${cluster}/`,
      index: 1,
      name: 'silver',
      is_default: false,
      is_deprecated: false,
      type: 'replication',
      replicas: null,
      ec: null,
      raw_bytes: 50_026_115_072,
      usable_bytes: null,
    })
  })

  it('has the usable capacity of its replicas or of its erasure code', async () => {
    const other = await addCluster(api.database)
    const code = {
      type: 'isa_l_rs_vand',
      data_fragments: 4,
      parity_fragments: 2,
      duplication_factor: 1,
      segment_bytes: 1,
    }
    const kinds = [
      { type: 'replication', replicas: 2.5 },
      { type: 'erasure_coding', replicas: 6, ec: code },
      { type: 'erasure_coding', replicas: 12, ec: { ...code, duplication_factor: 2 } },
      { type: 'erasure_coding', replicas: 6 },
    ]
    const owner = await addNode(api.database, other)
    for (const [index, kind] of kinds.entries()) {
      const policyId = await addPolicy(api.database, other, index)
      await prisma.storagePolicy.update({ where: { id: policyId }, data: kind })
      const usage = { totalBytes: 1_000n, freeBytes: 1_000n, availableBytes: 900n }
      const deviceId = await addDevice(api.database, other, owner, usage)
      await prisma.devicePolicy.create({ data: { deviceId, policyId } })
    }
    await api.context.capacity.intake.devicesChanged(owner)
    const { objects } = (await api.get(`/api/v1/storage_policies/?cluster=${other}&order_by=index`)).body
    const shown = objects.map((one: Readonly<Record<string, unknown>>) => [
      one['raw_bytes'],
      one['usable_bytes'],
      one['ec'],
    ])
    expect(shown).toEqual([
      [900, 360, null],
      [900, 600, code],
      [900, 300, { ...code, duplication_factor: 2 }],
      [900, null, null],
    ])
  })

  it('is filtered by cluster, index and name, and ordered by index', async () => {
    expect(await names(`/api/v1/storage_policies/?cluster=${cluster}&order_by=index`)).toEqual(['gold', 'silver'])
    for (const query of ['index=1', 'name=silver', 'is_default=false'])
      expect(await names(`/api/v1/storage_policies/?cluster=${cluster}&${query}`)).toEqual(['silver'])
  })
})
