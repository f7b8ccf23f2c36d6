import { encodeMetricFrame } from '@roost/api-types/agent'
import type { CatalogueMessage } from '@roost/api-types/agent'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addNode } from '../support/agents/fleet-rows.js'

let api: TestApi
let first: number
let second: number
let silent: number
let now: number

const metrics: CatalogueMessage['metrics'] = [
  { name: 'load.shortterm', unit: '', aggregation: 'mean' },
  { name: 'memory.used', unit: 'B', aggregation: 'sum' },
  { name: 'disk.sda.disk_ops.read', unit: '1/s', aggregation: 'sum' },
  { name: 'disk.sda.disk_ops.write', unit: '1/s', aggregation: 'sum' },
]

async function report(nodeId: number, time: number, values: readonly number[]): Promise<void> {
  const { intake } = api.context.metrics
  intake.connected(nodeId)
  await intake.catalogue(nodeId, { id: 1, metrics })
  intake.frame(nodeId, encodeMetricFrame({ catalogue: 1, sequence: 1n, time, values: Float64Array.from(values) }))
}

beforeAll(async () => {
  // Half a minute after its reading a value is none: here no time goes by.
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  api = await startApi()
  first = await addNode(api.database, 1)
  second = await addNode(api.database, 1)
  silent = await addNode(api.database, 1)
  now = Math.floor(Date.now() / 1000)
  await report(first, now, [1, 100, 10, Number.NaN])
  await report(second, now - 3.6, [3, 300, 20, 7])
  await report(silent, now - 3600, [9, 900, 90, 9])
})
afterAll(async () => {
  await api.stop()
  vi.useRealTimers()
})

const poll = async (path: string, names: string) =>
  (await api.get(`/api/v1/${path}/metrics/poll/?metrics=${encodeURIComponent(names)}`)).body.metrics

describe('metrics/list/', () => {
  it('answers every known name, sorted', async () => {
    const names = metrics
      .map(({ name }) => ({ metric_name: name }))
      .toSorted((a, b) => (a.metric_name < b.metric_name ? -1 : 1))
    for (const path of [`nodes/${first}`, 'clusters/1'])
      expect((await api.get(`/api/v1/${path}/metrics/list/`)).body).toEqual({ metrics: names })
  })
})

describe('metrics/poll/', () => {
  it('without metrics is 400', async () => {
    for (const query of ['', '?metrics=', '?metrics=,'])
      expect((await api.get(`/api/v1/nodes/${first}/metrics/poll/${query}`)).status).toBe(400)
  })

  it('takes names separated by commas, and may be repeated', async () => {
    const path = `/api/v1/nodes/${first}/metrics/poll/?metrics=load.shortterm,memory.used&metrics=disk.sda.disk_ops.read`
    expect((await api.get(path)).body.metrics).toEqual([
      { metric_name: 'disk.sda.disk_ops.read', timestamp: now, value: 10 },
      { metric_name: 'load.shortterm', timestamp: now, value: 1 },
      { metric_name: 'memory.used', timestamp: now, value: 100 },
    ])
  })

  it('takes * for any run of characters, dots included, and everything else literally', async () => {
    const names = async (pattern: string) =>
      (await poll(`nodes/${first}`, pattern)).map((row: { metric_name: string }) => row.metric_name)
    expect(await names('disk*')).toHaveLength(2)
    expect(await names('d*.read')).toEqual(['disk.sda.disk_ops.read'])
    expect(await names('*')).toHaveLength(4)
    for (const pattern of ['disk.[s]*', 'disk.sd?*', 'LOAD*', 'nothing*']) expect(await names(pattern)).toEqual([])
  })

  it('answers null for a known name without a value, and for an unknown name with the time of the poll', async () => {
    for (const name of ['disk.sda.disk_ops.write', 'no.such.name']) {
      const [row] = await poll(`nodes/${first}`, name)
      expect(row).toMatchObject({ metric_name: name, value: null })
      expect(row.timestamp).toBeGreaterThanOrEqual(now)
    }
  })

  it('answers null with the time of the last reading for what is older than three report intervals', async () => {
    for (const name of ['load.shortterm', 'load*'])
      expect(await poll(`nodes/${silent}`, name)).toEqual([
        { metric_name: 'load.shortterm', timestamp: now - 3600, value: null },
      ])
  })

  it('of a cluster sums and averages over the online nodes, by the rule of the metric', async () => {
    expect(await poll('clusters/1', 'load*,memory*,disk*')).toEqual([
      { metric_name: 'disk.sda.disk_ops.read', timestamp: now, value: 30 },
      { metric_name: 'disk.sda.disk_ops.write', timestamp: now - 4, value: 7 },
      { metric_name: 'load.shortterm', timestamp: now, value: 2 },
      { metric_name: 'memory.used', timestamp: now, value: 400 },
    ])
  })

  it('takes at most 64 patterns of 256 characters with 16 stars, and 1,000 names', async () => {
    const status = async (names: readonly string[]) =>
      (await api.get(`/api/v1/nodes/${first}/metrics/poll/?metrics=${names.join(',')}`)).status
    const many = (count: number, name: (i: number) => string) => Array.from({ length: count }, (_, i) => name(i))
    expect(await status(many(64, (i) => `a${i}*`))).toBe(200)
    expect(await status(many(65, (i) => `a${i}*`))).toBe(400)
    expect(await status([`${'a'.repeat(255)}*`])).toBe(200)
    expect(await status([`${'a'.repeat(256)}*`])).toBe(400)
    expect(await status(['a*'.repeat(16)])).toBe(200)
    expect(await status(['a*'.repeat(17)])).toBe(400)
    expect(await status(many(1000, (i) => `n${i}`))).toBe(200)
    expect(await status(many(1001, (i) => `n${i}`))).toBe(400)
  })
})

it('a timestamp is whole seconds: of the reading, and at cluster level of the newest one', async () => {
  const timeOf = async (path: string) => (await poll(path, 'load.shortterm'))[0].timestamp
  expect(await timeOf(`nodes/${second}`)).toBe(now - 4)
  expect(await timeOf(`nodes/${first}`)).toBe(now)
  expect(await timeOf('clusters/1')).toBe(now)
})

describe('metrics/across/', () => {
  it('answers a row for each node and name', async () => {
    const { body } = await api.get('/api/v1/clusters/1/metrics/across/?metrics=load*')
    expect(body.metrics).toEqual([
      { node: `/api/v1/nodes/${first}/`, metric_name: 'load.shortterm', timestamp: now, value: 1 },
      { node: `/api/v1/nodes/${second}/`, metric_name: 'load.shortterm', timestamp: now - 4, value: 3 },
      { node: `/api/v1/nodes/${silent}/`, metric_name: 'load.shortterm', timestamp: now - 3600, value: null },
    ])
  })
})

it('an unknown node or cluster is 404', async () => {
  for (const path of [
    'nodes/999/metrics/list/',
    'nodes/999/metrics/poll/?metrics=x',
    'clusters/999/metrics/list/',
    'clusters/999/metrics/poll/?metrics=x',
    'clusters/999/metrics/across/?metrics=x',
  ])
    expect([path, (await api.get(`/api/v1/${path}`)).status]).toEqual([path, 404])
})
