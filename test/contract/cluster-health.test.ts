import { createClient } from '@roost/api-types'
import { encodeMetricFrame } from '@roost/api-types/agent'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster, addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'

const names = [
  'recon.object.async_pending',
  'recon.account.replication.age',
  'recon.container.replication.age',
  'replication.ALL.age',
  'recon.account.quarantined',
  'recon.container.quarantined',
  'recon.object.quarantined',
  'recon.object.unmounted',
  'recon.object.quarantined_of_policy.1',
]
const [good, old] = ['a'.repeat(32), 'b'.repeat(32)]

let api: TestApi
let cluster: number
let nodes: readonly number[]
beforeAll(async () => {
  // Half a minute after its reading a value is none: here no time goes by.
  vi.useFakeTimers({ toFake: ['Date'] })
  api = await startApi()
  cluster = await addCluster(api.database)
  nodes = [await storageNode('one', good, 7), await storageNode('two', old, 6), await storageNode('three', good, 7)]
  await addNode(api.database, cluster, { hostname: 'gateway', inventory: simulatedInventory('gateway') })
})
afterAll(async () => {
  await api.stop()
  vi.useRealTimers()
})

function storageNode(hostname: string, md5: string, version: number): Promise<number> {
  const shape = { devices: 3, partitions: 8, replicas: 3 }
  const rings = [
    { name: 'object', md5, version, ...shape },
    { name: 'account', md5: good, version: 1, ...shape },
  ]
  const inventory = { ...simulatedInventory(hostname), rings, swift_version: `2.30.${version}` }
  return addNode(api.database, cluster, { hostname, state: 'online', inventory })
}

async function report(nodeId: number | undefined, values: readonly number[], ageSeconds = 0): Promise<void> {
  const { intake } = api.context.metrics
  const id = nodeId ?? 0
  const metrics = names.map((name) => ({ name, unit: 'count', aggregation: 'sum' as const }))
  intake.connected(id)
  await intake.catalogue(id, { id: 1, metrics })
  const time = Date.now() / 1_000 - ageSeconds
  intake.frame(id, encodeMetricFrame({ catalogue: 1, sequence: 1n, time, values: Float64Array.from(values) }))
}

const health = async (id = cluster) => (await api.get(`/api/v1/clusters/${id}/health/`)).body
const uri = (resource: string, id: number | undefined) => `/api/v1/${resource}/${id}/`

describe('clusters/<id>/health/', () => {
  it('shows which nodes have another ring than the others', async () => {
    const { rings_agree, rings } = await health()
    expect(rings_agree).toBe(false)
    expect(rings).toMatchObject([
      { name: 'account', agree: true, copies: [{ md5: good, version: 1, nodes: nodes.map((id) => uri('nodes', id)) }] },
      {
        name: 'object',
        agree: false,
        copies: [
          { md5: good, version: 7, nodes: [uri('nodes', nodes[0]), uri('nodes', nodes[2])] },
          { md5: old, version: 6, nodes: [uri('nodes', nodes[1])] },
        ],
      },
    ])
  })

  it('shows which nodes define a policy otherwise than the others', async () => {
    const other = await addCluster(api.database)
    const rings = [{ name: 'object', md5: good, version: 1, devices: 3, partitions: 8, replicas: 3 }]
    const add = (name: string) => {
      const policies = [{ index: 0, name, aliases: [], is_default: true, is_deprecated: false, type: 'replication' }]
      const inventory = { ...simulatedInventory(name), rings, policies }
      return addNode(api.database, other, { hostname: `node-${name}`, inventory })
    }
    const [one, liar, two] = [await add('gold'), await add('stolen'), await add('gold')]
    // Its rings cannot be read.
    const damaged = { ...simulatedInventory('damaged'), rings, policies: null }
    await addNode(api.database, other, { hostname: 'damaged', inventory: damaged })
    const { policies_agree, policies } = await health(other)
    const shape = { aliases: [], is_default: true, is_deprecated: false, type: 'replication' }
    expect({ policies_agree, policies }).toMatchObject({
      policies_agree: false,
      policies: [
        {
          index: 0,
          agree: false,
          copies: [
            { name: 'gold', ...shape, nodes: [uri('nodes', one), uri('nodes', two)] },
            { name: 'stolen', ...shape, nodes: [uri('nodes', liar)] },
          ],
        },
      ],
    })
  })

  it('tells nothing of what no node tells', async () => {
    expect(await health()).toMatchObject({
      async_pending: null,
      oldest_replication: { account: null, container: null, object: null },
      quarantined: { accounts: null, containers: null, objects: null, objects_by_policy: {} },
    })
  })

  it('adds up what waits and what is quarantined, and finds the oldest pass of each replicator', async () => {
    await report(nodes[0], [2, 10, 20, 30, 0, 1, 2, 0, 2])
    await report(nodes[1], [3, 15, 5, 4_000, 0, 0, 5, 1, 5])
    // Too long ago to say anything of now.
    await report(nodes[2], [100, 9_000, 9_000, 9_000, 9, 9, 9, 9, 9], 3_600)
    const found = await health()
    expect(found.async_pending).toBe(5)
    expect(found.quarantined).toEqual({ accounts: 0, containers: 1, objects: 7, objects_by_policy: { 1: 7 } })
    expect(found.oldest_replication).toMatchObject({
      account: { node: uri('nodes', nodes[1]) },
      container: { node: uri('nodes', nodes[0]) },
      object: { node: uri('nodes', nodes[1]) },
    })
    const { age_seconds: age, ended } = found.oldest_replication.object
    expect(age).toBeGreaterThanOrEqual(4_000)
    expect(age).toBeLessThan(4_060)
    expect(Math.abs(Date.parse(ended) + age * 1_000 - Date.now())).toBeLessThan(60_000)
    const summary = ({ hostname, swift_version, async_pending, unmounted }: Record<string, unknown>) => [
      hostname,
      swift_version,
      async_pending,
      unmounted,
    ]
    expect(found.nodes.map(summary)).toEqual([
      ['one', '2.30.7', 2, 0],
      ['two', '2.30.6', 3, 1],
      ['three', '2.30.7', null, null],
    ])
  })

  it('lists the servers and daemons of Swift with state and age, also those that are up, and null for an older agent', async () => {
    const since = Math.floor(Date.now() / 1_000) - 120
    const file = '/etc/swift/object-server.conf'
    const service = { name: 'object-server', file, address: '10.0.0.1:6200', state: 'up' }
    const services = [
      { ...service, since },
      { ...service, name: 'object-updater', address: null, state: 'down', since },
    ]
    await api.database.prisma.$executeRaw`
      update nodes set inventory = inventory || ${JSON.stringify({ services })}::jsonb where id = ${nodes[0]}`
    const found = await health()
    const [first, second] = found.nodes
    expect(first.services).toMatchObject([
      { ...service, since: new Date(since * 1_000).toISOString() },
      { name: 'object-updater', address: null, state: 'down' },
    ])
    expect(first.services[0].age_seconds).toBeGreaterThanOrEqual(120)
    expect(second.services).toBeNull()
  })

  it('names the devices that are not there', async () => {
    const named = { mountPoint: null }
    const failed = await addDevice(api.database, cluster, nodes[1] ?? 0, { ...named, name: 'd2', status: 'failed' })
    const gone = await addDevice(api.database, cluster, nodes[1] ?? 0, { ...named, name: 'd1', status: 'unmounted' })
    await addDevice(api.database, cluster, nodes[0] ?? 0, { status: 'ok' })
    await addDevice(api.database, cluster, nodes[0] ?? 0, { status: 'missing', agentKey: null })
    expect((await health()).unmounted).toEqual([
      { device: uri('devices', gone), node: uri('nodes', nodes[1]), name: 'd1', status: 'unmounted' },
      { device: uri('devices', failed), node: uri('nodes', nodes[1]), name: 'd2', status: 'failed' },
    ])
  })

  it('is the same to the typed client', async () => {
    const { url, ca, key } = api
    const client = createClient({ url, ca, apiKey: key })
    const typed = await client.rpc.clusters.health.query({ id: cluster })
    const rest = await health()
    expect([typed.rings, typed.unmounted, typed.quarantined]).toEqual([rest.rings, rest.unmounted, rest.quarantined])
    await client.close()
  })

  it('of a cluster without nodes is empty, and of an unknown one 404', async () => {
    expect(await health(await addCluster(api.database))).toMatchObject({
      verdict: 'ok',
      reasons: [],
      reason_count: 0,
      rings_agree: true,
      rings: [],
      policies_agree: true,
      policies: [],
      nodes: [],
    })
    expect((await api.get('/api/v1/clusters/999/health/')).status).toBe(404)
  })
})

/** `code subject node (severity)` of each reason. */
const brief = (reasons: readonly Readonly<Record<string, string>>[]) =>
  reasons.map(({ code, subject, node, severity }) => `${code} ${subject} ${node} (${severity})`)

describe('the verdict of a cluster', () => {
  it('is critical for a ring, the name of a policy and a duplicate node, each with its node', async () => {
    const other = await addCluster(api.database, 'judged')
    const add = (hostname: string, md5: string, name: string, state = 'online') => {
      const rings = [{ name: 'object', md5, version: 1, devices: 3, partitions: 8, replicas: 3 }]
      const policies = [{ index: 0, name, aliases: [], is_default: true, is_deprecated: false, type: 'replication' }]
      const problems = [{ code: 'mount_check_off', subject: '/srv/node', message: 'Set mount_check = true.' }]
      const inventory = { ...simulatedInventory(hostname), rings, policies }
      const lastSeen = new Date(Date.now() - 3_600_000)
      return addNode(api.database, other, { hostname, state, lastSeen, inventory, problems })
    }
    const a = await add('a', good, 'gold')
    const b = await add('b', old, 'stolen')
    const c = await add('c', good, 'gold', 'duplicate')
    const d = await add('d', good, 'gold', 'offline')
    const found = await health(other)
    expect([found.verdict, found.reason_count]).toEqual(['critical', 7])
    expect(brief(found.reasons)).toEqual([
      // What endangers data comes first.
      `policies_differ 0 ${uri('nodes', b)} (critical)`,
      `ring_mismatch object ${uri('nodes', b)} (critical)`,
      `node_silent d ${uri('nodes', d)} (critical)`,
      `node_duplicate c ${uri('nodes', c)} (critical)`,
      // Of a silent node nothing else is a reason; the agent of an earlier release reported no severity.
      `mount_check_off /srv/node ${uri('nodes', a)} (warning)`,
      `mount_check_off /srv/node ${uri('nodes', b)} (warning)`,
      `mount_check_off /srv/node ${uri('nodes', c)} (warning)`,
    ])
  })

  it('is on /metrics, and what concerns a node is among its problems until it is solved', async () => {
    await api.context.healthRounds.run()
    const metrics = async () => (await api.get('/metrics')).text.split('\n')
    const line = 'roost_check{code="ring_mismatch",severity="critical",cluster="judged",node="b",subject="object"} 1'
    expect(await metrics()).toEqual(expect.arrayContaining(['roost_cluster_health{cluster="judged"} 2', line]))
    const problems = async () => {
      const { body } = await api.get('/api/v1/nodes/?hostname=b')
      return body.objects[0].problems.map(({ code, severity }: Record<string, string>) => [code, severity])
    }
    const reported = ['mount_check_off', 'warning']
    expect(await problems()).toEqual([reported, ['policies_differ', 'critical'], ['ring_mismatch', 'critical']])

    const { id, inventory } = await api.database.prisma.node.findFirstOrThrow({ where: { hostname: 'a' } })
    expect(id).toBeGreaterThan(0)
    await api.database.prisma.node.updateMany({ where: { hostname: 'b' }, data: { inventory: inventory ?? {} } })
    await api.context.healthRounds.run()
    expect(await problems()).toEqual([reported])
    expect(await metrics()).not.toContain(line)
  })

  it('warns of devices that are not there, and is critical when those of two nodes share a policy', async () => {
    const other = await addCluster(api.database)
    const policy = await addPolicy(api.database, other, 0, 'gold')
    const [one, two] = [await addNode(api.database, other), await addNode(api.database, other)]
    const lose = (node: number, name: string) =>
      addDevice(api.database, other, node, { name, status: 'unmounted', policies: { create: { policyId: policy } } })
    const d1 = await lose(one, 'd1')
    const { verdict, reasons } = await health(other)
    expect([verdict, brief(reasons)]).toEqual(['warn', [`device_unmounted d1 ${uri('nodes', one)} (warning)`]])
    expect(reasons[0].device).toBe(uri('devices', d1))
    await lose(two, 'd2')
    const worse = await health(other)
    expect([worse.verdict, brief(worse.reasons)[0]]).toEqual([
      'critical',
      'policy_devices_unavailable gold null (critical)',
    ])
  })
})
