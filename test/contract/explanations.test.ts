import { createClient } from '@roost/api-types'
import { encodeMetricFrame } from '@roost/api-types/agent'
import type { Explanation, Explanations } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { addCluster, addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'

const tb = 1e12
const dayMs = 86_400_000
const minuteMs = 60_000

let api: TestApi
let cluster: number
let nodes: readonly number[]
/** By name. */
const devices = new Map<string, number>()

beforeAll(async () => {
  // Half a minute after its reading a value is none: here no time goes by.
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  api = await startApi()
  cluster = await addCluster(api.database)
  nodes = [await storageNode('store-1', 'online'), await storageNode('store-2', 'online', 'stale'), await silentNode()]
  const policies = [
    await addPolicy(api.database, cluster, 0, 'gold'),
    await addPolicy(api.database, cluster, 1, 'silver'),
  ]
  await device('d1', { used: 4, policies })
  await device('d2', { used: 1, policies, node: 2 })
  await device('d3', { used: 2, policies, status: 'unmounted' })
  await device('d4', { policies })
  await device('d5', { used: 3, policies: [] })
  await device('d6', { used: 5, policies: [], key: null })
  for (const node of nodes) await api.context.capacity.intake.devicesChanged(node)
})
afterAll(async () => {
  await api.stop()
  vi.useRealTimers()
})

const uri = (resource: string, id: number | undefined) => `/api/v1/${resource}/${id}/`
const nodeUri = (index: number) => uri('nodes', nodes[index])
const before = (ms: number) => new Date(Date.now() - ms)

function storageNode(hostname: string, state: string, version = 'new'): Promise<number> {
  const shape = { devices: 3, partitions: 8, replicas: 3, version: 7 }
  const md5 = (version === 'new' ? 'a' : 'b').repeat(32)
  const inventory = { ...simulatedInventory(hostname), rings: [{ name: 'object', md5, ...shape }] }
  return addNode(api.database, cluster, { hostname, state, inventory, lastSeen: before(1000) })
}

/** Its problem was reported before it fell silent. */
function silentNode(): Promise<number> {
  const problems = [{ code: 'cache_small', severity: 'warning', subject: 's', message: 'The cache is small.' }]
  return addNode(api.database, cluster, {
    hostname: 'store-3',
    state: 'offline',
    problems,
    lastSeen: before(20 * minuteMs),
  })
}

interface DeviceOptions {
  /** TB of 10; without it the filesystem was never read. */
  readonly used?: number
  readonly policies: readonly number[]
  readonly node?: number
  readonly status?: string
  readonly key?: null
}

async function device(name: string, { used, policies, node = 0, status = 'ok', key }: DeviceOptions): Promise<void> {
  const space =
    used === undefined
      ? { totalBytes: null, freeBytes: null, availableBytes: null, lastSeen: null }
      : {
          totalBytes: BigInt(10 * tb),
          freeBytes: BigInt((10 - used) * tb),
          availableBytes: BigInt((10 - used) * tb),
          lastSeen: before(node === 2 ? 20 * minuteMs : 1000),
        }
  const id = await addDevice(api.database, cluster, nodes[node] ?? 0, {
    name,
    status,
    ...space,
    ...(key === null && { agentKey: null }),
  })
  await api.database.prisma.devicePolicy.createMany({ data: policies.map((policyId) => ({ deviceId: id, policyId })) })
  devices.set(name, id)
}

async function report(index: number, values: readonly number[], ageSeconds = 0): Promise<void> {
  const { intake } = api.context.metrics
  const metrics = [
    { name: 'recon.object.async_pending', unit: 'count', aggregation: 'sum' as const },
    { name: 'load.shortterm', unit: '', aggregation: 'mean' as const },
  ]
  const id = nodes[index] ?? 0
  intake.connected(id)
  await intake.catalogue(id, { id: 1, metrics })
  const time = Date.now() / 1000 - ageSeconds
  intake.frame(id, encodeMetricFrame({ catalogue: 1, sequence: 1n, time, values: Float64Array.from(values) }))
}

const explain = async (path: string, id = cluster): Promise<readonly Explanation[]> =>
  ((await api.get(`/api/v1/clusters/${id}/${path}`)).body as Explanations).explained
const namesOf = ({ counted }: Explanation) => counted.map(({ name }) => name)
const reasonsOf = ({ left_out: leftOut }: Explanation) =>
  Object.fromEntries(leftOut.map(({ name, node, reason }) => [name || node, reason]))
const byName = (explained: readonly Explanation[], name: string) =>
  explained.find((one) => one.name === name) as Explanation

describe('capacity/explain/', () => {
  it('names the devices of each set that count with their readings, and why the others do not', async () => {
    const [set, without] = (await explain('capacity/explain/')) as [Explanation, Explanation]
    expect(set).toMatchObject({
      name: 'gold,silver',
      values: { raw_bytes: 20 * tb, used_bytes: 5 * tb, free_bytes: 15 * tb },
      counted_count: 2,
      left_out_count: 2,
    })
    expect(set.counted[0]).toEqual({
      node: nodeUri(0),
      device: uri('devices', devices.get('d1')),
      name: 'd1',
      values: { raw_bytes: 10 * tb, used_bytes: 4 * tb, free_bytes: 6 * tb },
      read: before(1000).toISOString(),
    })
    expect(reasonsOf(set)).toEqual({ d3: 'unmounted', d4: 'not_read' })
    expect(set.left_out.find(({ name }) => name === 'd4')).toMatchObject({ values: {}, read: null })
    expect(without).toMatchObject({ name: '', values: {}, counted_count: 0 })
    expect(reasonsOf(without)).toEqual({ d5: 'no_policy', d6: 'not_reported' })
  })

  it('the devices that count are the numbers of the capacity', async () => {
    const [set] = (await explain('capacity/explain/')) as [Explanation]
    const [element] = (await api.get(`/api/v1/clusters/${cluster}/capacity/list/`)).body.capacity
    const used = set.counted.reduce((sum, { values }) => sum + (values['used_bytes'] ?? 0), 0)
    expect([used / tb, set.name]).toEqual([element.total_used_tb, element.ring_set])
    // The last reading of a node that is offline counts.
    expect(set.counted[1]).toMatchObject({ node: nodeUri(2), read: before(20 * minuteMs).toISOString() })
  })
})

it('a forecast is explained by its days, its limit and its devices', async () => {
  const today = Math.floor(Date.now() / dayMs)
  const days = [...Array(30).keys()].filter((ago) => ago !== 3)
  await api.database.prisma.capacityDay.createMany({
    data: days.map((ago) => ({
      clusterId: cluster,
      policySet: '0,1',
      day: new Date((today - ago) * dayMs),
      rawBytes: BigInt(20 * tb),
      usedBytes: BigInt(Math.round((18 - 0.1 * ago) * tb)),
      freeBytes: 0n,
      fullestPct: 0,
      pct95: 0,
    })),
  })
  const [set] = (await explain('capacity/forecast/explain/')) as [Explanation]
  const { forecast } = (await api.get(`/api/v1/clusters/${cluster}/capacity/forecast/`)).body
  expect(set).toMatchObject({
    name: 'gold,silver',
    values: { limit_bytes: 19.6 * tb, used_bytes: 18 * tb, history_days: 30, missing_days: 1 },
    rule: expect.stringContaining('Days until full are the bytes left divided by the growth of a day.'),
  })
  expect(set.values['days_until_full']).toBe(forecast[0].days_until_full.middle)
  const { left_bytes: left, growth_bytes_a_day: growth } = set.values
  expect((left ?? 0) / (growth ?? 0)).toBeCloseTo(forecast[0].days_until_full.middle, 0)
  expect([namesOf(set), reasonsOf(set)]).toEqual([['d1', 'd2'], { d3: 'unmounted', d4: 'not_read' }])
})

describe('metrics/explain/', () => {
  it('names the nodes whose values make that of the cluster, and why the others do not', async () => {
    await report(0, [3, 1])
    await report(1, [4, Number.NaN], 3.5)
    await report(2, [100, 100], 300)
    const explained = await explain('metrics/explain/?metrics=recon.*,load.shortterm,unknown')
    const pending = byName(explained, 'recon.object.async_pending')
    expect(pending).toMatchObject({ values: { value: 7 }, rule: expect.stringMatching(/^Sum/) })
    expect(pending.counted.map(({ node, values }) => [node, values['value']])).toEqual([
      [nodeUri(0), 3],
      [nodeUri(1), 4],
    ])
    expect(pending.counted[1]?.read).toBe(before(3500).toISOString())
    expect(reasonsOf(pending)).toEqual({ [nodeUri(2)]: 'stale' })
    const load = byName(explained, 'load.shortterm')
    expect(load).toMatchObject({ values: { value: 1 }, rule: expect.stringMatching(/^Mean/) })
    expect(reasonsOf(load)).toEqual({ [nodeUri(1)]: 'no_value', [nodeUri(2)]: 'stale' })
    expect(byName(explained, 'unknown')).toMatchObject({ values: { value: null }, counted: [], left_out: [] })
    const polled = (await api.get(`/api/v1/clusters/${cluster}/metrics/poll/?metrics=recon.*,load.shortterm,unknown`))
      .body
    for (const { metric_name: name, value } of polled.metrics)
      expect([name, byName(explained, name).values['value']]).toEqual([name, value])
  })

  it('a node without a connection is left out, however new its reading is', async () => {
    api.context.metrics.intake.disconnected(nodes[1] ?? 0)
    const [pending] = (await explain('metrics/explain/?metrics=recon.object.async_pending')) as [Explanation]
    expect(reasonsOf(pending)).toEqual({ [nodeUri(1)]: 'offline', [nodeUri(2)]: 'stale' })
    api.context.metrics.intake.connected(nodes[1] ?? 0)
  })

  it('more than 20 names, or none, are 400', async () => {
    const names = Array.from({ length: 21 }, (_, i) => ({ name: `m.${i}`, unit: '', aggregation: 'sum' as const }))
    const other = await addCluster(api.database)
    const node = await addNode(api.database, other)
    await api.context.metrics.intake.catalogue(node, { id: 1, metrics: names })
    const path = `/api/v1/clusters/${other}/metrics/explain/`
    for (const query of ['', '?metrics=', '?metrics=m.*']) expect((await api.get(`${path}${query}`)).status).toBe(400)
  })
})

describe('health/explain/', () => {
  it('names the nodes that are judged, and those whose silence is their only reason', async () => {
    const [verdict] = (await explain('health/explain/')) as [Explanation]
    expect(verdict).toMatchObject({ name: 'verdict', rule: expect.stringMatching(/^critical: /) })
    expect(verdict.counted.map(({ node }) => node)).toEqual([nodeUri(0), nodeUri(1)])
    expect(verdict.left_out).toEqual([
      {
        node: nodeUri(2),
        device: null,
        name: '',
        values: { reasons: 1 },
        read: before(20 * minuteMs).toISOString(),
        reason: 'offline',
      },
    ])
  })

  it('explains each reason, and each number by the nodes that report it', async () => {
    const { body: health } = await api.get(`/api/v1/clusters/${cluster}/health/`)
    const explained = await explain('health/explain/')
    const codes = [...new Set(health.reasons.map(({ code }: { code: string }) => code))] as string[]
    expect(codes).toEqual(expect.arrayContaining(['ring_mismatch', 'device_unmounted', 'node_silent']))
    expect(explained.slice(1, 1 + codes.length).map(({ name }) => name)).toEqual(codes)
    expect(byName(explained, 'device_unmounted')).toMatchObject({
      values: { reasons: 1 },
      counted: [
        { node: nodeUri(0), device: uri('devices', devices.get('d3')), name: 'd3', read: before(1000).toISOString() },
      ],
    })
    const pending = byName(explained, 'async_pending')
    expect([pending.values['value'], health.async_pending]).toEqual([7, 7])
    // Samples have the time of their reading in full seconds.
    const second = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString()
    expect(pending.counted[0]).toMatchObject({ node: nodeUri(0), values: { value: 3 }, read: second })
    const passes = byName(explained, 'oldest_replication.object')
    expect(passes).toMatchObject({ values: { value: null }, counted: [] })
    expect(reasonsOf(passes)).toEqual({ [nodeUri(0)]: 'no_value', [nodeUri(1)]: 'no_value' })
  })
})

it('the typed client gets the same, and an unknown cluster is not found', async () => {
  const { url, ca, key } = api
  const client = createClient({ url, ca, apiKey: key })
  const { capacity, forecast, health, metrics } = client.rpc.clusters.explain
  const typed = [
    await capacity.query({ id: cluster }),
    await forecast.query({ id: cluster }),
    await health.query({ id: cluster }),
    await metrics.query({ id: cluster, metrics: ['load.*'] }),
  ]
  await client.close()
  const paths = [
    'capacity/explain/',
    'capacity/forecast/explain/',
    'health/explain/',
    'metrics/explain/?metrics=load.*',
  ]
  expect(typed.map(({ explained }) => explained)).toEqual(await Promise.all(paths.map((path) => explain(path))))
  for (const path of paths) expect((await api.get(`/api/v1/clusters/999999/${path}`)).status).toBe(404)
})
