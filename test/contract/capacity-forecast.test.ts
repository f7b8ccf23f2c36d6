import { createClient } from '@roost/api-types'
import type { CapacityHistory } from '@roost/api-types/rest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addCluster, addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'

const tb = 1e12
const dayMs = 86_400_000

let api: TestApi
let cluster: number
/** By name: d1 grows by 0.1 TB a day, d2 by 0.2, d3 not at all; d4 has seven days only. */
const devices = new Map<string, number>()

beforeAll(async () => {
  api = await startApi()
  cluster = await addCluster(api.database)
  const policy = await addPolicy(api.database, cluster, 0, 'gold')
  const node = await addNode(api.database, cluster)
  for (const [name, usedTb] of [
    ['d1', 6],
    ['d2', 8],
    ['d3', 1],
    ['d4', 1],
  ] as const) {
    const id = await addDevice(api.database, cluster, node, {
      name,
      totalBytes: BigInt(10 * tb),
      freeBytes: BigInt((10 - usedTb) * tb),
      availableBytes: BigInt((10 - usedTb) * tb),
      lastSeen: new Date(),
    })
    await api.database.prisma.devicePolicy.create({ data: { deviceId: id, policyId: policy } })
    devices.set(name, id)
  }
  await api.context.capacity.intake.devicesChanged(node)
  await recordDays('d1', 42, (ago) => 6 - 0.1 * ago)
  await recordDays('d2', 42, (ago) => 8 - 0.2 * ago)
  await recordDays('d3', 42, () => 1)
  await recordDays('d4', 7, (ago) => 1 - 0.1 * ago)
})
afterAll(() => api.stop())

const dateBefore = (ago: number) => new Date((Math.floor(Date.now() / dayMs) - ago) * dayMs)

async function recordDays(name: string, count: number, usedTb: (ago: number) => number): Promise<void> {
  const days = Array.from({ length: count }, (_, ago) => ({
    deviceId: devices.get(name) ?? 0,
    day: dateBefore(ago),
    usedBytes: BigInt(Math.round(usedTb(ago) * tb)),
    rawBytes: BigInt(10 * tb),
  }))
  await api.database.prisma.deviceDay.createMany({ data: days })
}

const forecast = async (id = cluster) => (await api.get(`/api/v1/clusters/${id}/capacity/forecast/`)).body
const uriOf = (name: string) => `/api/v1/devices/${devices.get(name)}/`

it('devices are sorted by the days until they are full, and those without a forecast come last', async () => {
  await api.context.capacity.forecastDevices()
  const path = `/api/v1/devices/?cluster=${cluster}&order_by=days_until_full`
  const { objects } = (await api.get(path)).body
  expect(objects.map(({ name, days_until_full: days }: never) => [name, days])).toEqual([
    ['d2', { early: 9, middle: 9, late: 9 }],
    ['d1', { early: 38, middle: 38, late: 38 }],
    ['d3', null],
    ['d4', null],
  ])
})

it('the use of a day is its largest, of each device and of each set of policies', async () => {
  const device = devices.get('d1') ?? 0
  const stored = async () => {
    const day = dateBefore(0)
    const [own, set] = await Promise.all([
      api.database.prisma.deviceDay.findUnique({ where: { deviceId_day: { deviceId: device, day } } }),
      api.database.prisma.capacityDay.findUnique({
        where: { clusterId_policySet_day: { clusterId: cluster, policySet: '0', day } },
      }),
    ])
    return [Number(own?.usedBytes) / tb, Number(set?.usedBytes) / tb, set?.fullestPct]
  }
  await api.context.capacity.recordDay()
  expect(await stored()).toEqual([6, 16, 80])
  const report = async (usedTb: number) => {
    const { nodeId, agentKey: key } = await api.database.prisma.device.findUniqueOrThrow({ where: { id: device } })
    const free = (10 - usedTb) * tb
    api.context.capacity.intake.deviceUsage(nodeId, {
      type: 'device_usage',
      time: Date.now() / 1000,
      devices: [{ key, status: 'ok', figures: { total_bytes: 10 * tb, free_bytes: free, available_bytes: free } }],
    } as never)
    await api.context.capacity.recordDay()
    return stored()
  }
  expect(await report(9)).toEqual([9, 19, 90])
  expect(await report(3)).toEqual([9, 19, 90])
})

it('a cluster without two weeks of days has no forecast, but names the device that will be full first', async () => {
  expect(await forecast()).toEqual({
    cluster: `/api/v1/clusters/${cluster}/`,
    made: expect.any(String),
    forecast: [
      {
        ring_set: 'gold',
        state: 'not_enough_data',
        limit_pct: 98,
        used_pct: expect.any(Number),
        growth_bytes_a_day: null,
        days_until_full: null,
        fullest_device: { device: uriOf('d2'), days_until_full: { early: 9, middle: 9, late: 9 } },
        history_days: 1,
        shifts: [],
        oldest_reading: expect.any(String),
      },
    ],
  })
})

it('a cluster that grows has days until full with an interval, and the days on which its level changed', async () => {
  const days = Array.from({ length: 42 }, (_, ago) => ({
    clusterId: cluster,
    policySet: '0',
    day: dateBefore(ago + 1),
    rawBytes: BigInt(40 * tb),
    // Five TB were moved away ten days ago.
    usedBytes: BigInt(Math.round((19 - 0.3 * (ago + 1) + (ago >= 10 ? 5 : 0)) * tb)),
    freeBytes: 0n,
    fullestPct: 0,
    pct95: 0,
  }))
  await api.database.prisma.capacityDay.createMany({ data: days })
  const [gold] = (await forecast()).forecast
  expect(gold).toMatchObject({
    state: 'forecast',
    growth_bytes_a_day: 0.3 * tb,
    history_days: 42,
    shifts: [dateBefore(10).toISOString().slice(0, 10)],
  })
  const left = (0.98 * 40 - 19) / 0.3
  expect(gold.days_until_full).toEqual({
    early: expect.closeTo(left, 1),
    middle: expect.closeTo(left, 1),
    late: expect.closeTo(left, 1),
  })
})

it('the history has one point a day, from the first day that is known, and null where a day is missing', async () => {
  await api.database.prisma.capacityDay.deleteMany({ where: { clusterId: cluster, day: dateBefore(5) } })
  const first = dateBefore(42).getTime() / 1000
  const today = dateBefore(0).getTime() / 1000
  const { body } = await api.get(`/api/v1/clusters/${cluster}/capacity/history/?start=2026-01-01`)
  expect(body.meta).toEqual({ start: first, step: 86_400, points: 43, level: 'day', complete_until: today })
  const [gold] = body.capacity
  expect(gold.ring_set).toBe('gold')
  const usedOf = (ago: number) => 19 - 0.3 * ago + (ago >= 11 ? 5 : 0)
  const round = (tbUsed: number | null) => (tbUsed === null ? null : Math.round(tbUsed * 1e6) / 1e6)
  expect(gold.total_used_tb.slice(0, -1).map(round)).toEqual(
    Array.from({ length: 42 }, (_, i) => (i === 37 ? null : round(usedOf(42 - i)))),
  )
  expect([gold.total_used_tb[42], gold.total_raw_tb[42], gold.total_used_pct[42]]).toEqual([19, 40, 47.5])
  expect([gold.total_raw_tb[37], gold.total_used_pct[37], gold.pct_used_stats.max[37]]).toEqual([null, null, null])
  expect(gold.pct_used_stats.max[42]).toBe(90)
})

it('the history ends with the day of its end, and has the sets asked for', async () => {
  const dayOf = (ago: number) => dateBefore(ago).toISOString()
  const history = async (query: string) =>
    (await api.get(`/api/v1/clusters/${cluster}/capacity/history/?${query}`)).body as CapacityHistory
  const days = await history(`start=${dayOf(4)}&end=${dayOf(1)}&ring_set=gold`)
  expect(days.meta).toMatchObject({ start: dateBefore(4).getTime() / 1000, points: 3 })
  expect(days.meta.complete_until).toBe(dateBefore(1).getTime() / 1000)
  expect(days.capacity.map(({ total_used_tb: used }) => used.length)).toEqual([3])
  expect((await history(`start=${dayOf(4)}&ring_set=silver`)).capacity).toEqual([])
  expect((await history('start=9999-12-30&end=9999-12-31')).capacity).toEqual([])
  for (const query of ['', 'start=', 'start=yesterday', `start=${dayOf(1)}&end=${dayOf(2)}`])
    expect((await api.get(`/api/v1/clusters/${cluster}/capacity/history/?${query}`)).status).toBe(400)
  expect((await api.get('/api/v1/clusters/999999/capacity/history/?start=2026-01-01')).status).toBe(404)
  expect((await history('start=0001-01-01')).meta.points).toBe(43)
})

it('devices are counted by how full they are, and listed by node where that is asked for', async () => {
  const path = `/api/v1/clusters/${cluster}/capacity/fullness/`
  // d1 went down from 90 to 30 percent before.
  expect((await api.get(`${path}?step=10`)).body).toEqual({
    cluster: `/api/v1/clusters/${cluster}/`,
    step: 10,
    fullness: [{ ring_set: 'gold', devices: [0, 2, 0, 1, 0, 0, 0, 0, 1, 0] }],
  })
  const { body } = await api.get(`${path}?by_node=true`)
  expect(body.fullness[0].devices.length).toBe(20)
  expect(body.nodes[0].devices).toEqual(
    [30, 80, 10, 10].map((used, i) => ({
      device: uriOf(`d${i + 1}`),
      name: `d${i + 1}`,
      status: 'ok',
      used_pct: used,
    })),
  )
  for (const query of ['step=3', 'step=x', 'step=0', 'by_node=maybe'])
    expect((await api.get(`${path}?${query}`)).status).toBe(400)
  expect((await api.get('/api/v1/clusters/999999/capacity/fullness/')).status).toBe(404)
  const client = createClient({ url: api.url, ca: api.ca, apiKey: api.key })
  const typed = await client.rpc.capacity.fullness.query({ id: cluster, by_node: true })
  await client.close()
  expect(typed).toEqual(body)
})

it('the typed client gets the same', async () => {
  const { url, ca, key } = api
  const client = createClient({ url, ca, apiKey: key })
  const typed = await client.rpc.clusters.forecast.query({ id: cluster })
  const range = { id: cluster, start: '2026-01-01' }
  const history = await client.rpc.clusters.capacityHistory.query({ ...range, ring_sets: ['gold'] })
  await client.close()
  expect(history).toEqual((await api.get(`/api/v1/clusters/${cluster}/capacity/history/?start=2026-01-01`)).body)
  expect({ ...typed, made: '' }).toEqual({ ...(await forecast()), made: '' })
})

it('without devices there is nothing to forecast, and an unknown cluster is not found', async () => {
  expect((await forecast(await addCluster(api.database))).forecast).toEqual([])
  expect((await api.get('/api/v1/clusters/999999/capacity/forecast/')).status).toBe(404)
})
