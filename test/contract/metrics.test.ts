import { encodeMetricFrame } from '@roost/api-types/agent'
import type { MetricDefinition } from '@roost/api-types/agent'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../support/api.js'
import type { TestApi } from '../support/api.js'
import { addCluster, addNode } from '../support/fleet-rows.js'

const definitions: readonly MetricDefinition[] = [
  { name: 'load.load.shortterm', unit: 'load', aggregation: 'mean' },
  { name: 'aggregation.cpu-average.cpu.idle', unit: 'percent', aggregation: 'mean' },
  { name: 'interface.eth0.if_octets.rx', unit: 'bytes/s', aggregation: 'sum' },
]

let api: TestApi
let clusterId: number
let first: number
let second: number
let time: number
beforeAll(async () => {
  api = await startApi()
  clusterId = await addCluster(api.database)
  first = await addNode(api.database, clusterId)
  second = await addNode(api.database, clusterId)
  time = Math.floor(Date.now() / 1000) - 1
  for (const [nodeId, values] of [
    [first, [0.5, 90, 1000]],
    [second, [1.5, 70, 500]],
  ] as const) {
    await report(nodeId, values, time)
  }
})
afterAll(() => api.stop())

async function report(nodeId: number, values: readonly number[], at: number): Promise<void> {
  const { intake } = api.context.metrics
  intake.connected(nodeId)
  await intake.catalogue(nodeId, { id: 1, metrics: [...definitions] })
  intake.frame(nodeId, encodeMetricFrame({ catalogue: 1, sequence: 1n, time: at, values: Float64Array.from(values) }))
}

const ofNode = (path: string, nodeId = first) => api.get(`/api/v1/nodes/${nodeId}/metrics/${path}`)
const ofCluster = (path: string) => api.get(`/api/v1/clusters/${clusterId}/metrics/${path}`)
const sample = (metric_name: string, value: number | null, timestamp = time) => ({ metric_name, timestamp, value })

describe('metrics/list/', () => {
  it('answers every known name of a node and of a cluster, sorted', async () => {
    const names = definitions
      .map(({ name }) => ({ metric_name: name }))
      .toSorted((a, b) => (a.metric_name < b.metric_name ? -1 : 1))
    expect((await ofNode('list/')).body).toEqual({ metrics: names })
    expect((await ofCluster('list')).body).toEqual({ metrics: names })
  })

  it('is empty for a node that has not reported, and for a cluster without nodes', async () => {
    const silent = await addNode(api.database, clusterId)
    expect((await ofNode('list/', silent)).body).toEqual({ metrics: [] })
    const empty = await addCluster(api.database)
    expect((await api.get(`/api/v1/clusters/${empty}/metrics/list/`)).body).toEqual({ metrics: [] })
  })
})

describe('metrics/poll/', () => {
  it('takes names separated by commas, and the parameter repeated', async () => {
    const { status, headers, body } = await ofNode(
      'poll/?metrics=load.load.shortterm,interface.eth0.if_octets.rx&metrics=aggregation.cpu-average.cpu.idle&format=json',
    )
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(body).toEqual({
      metrics: [
        sample('aggregation.cpu-average.cpu.idle', 90),
        sample('interface.eth0.if_octets.rx', 1000),
        sample('load.load.shortterm', 0.5),
      ],
    })
  })

  it('takes * for any run of characters, dots included', async () => {
    expect((await ofNode('poll/?metrics=agg*idle,load.*')).body.metrics).toHaveLength(2)
    expect((await ofNode('poll/?metrics=*')).body.metrics).toHaveLength(3)
    expect((await ofNode('poll/?metrics=load.?*')).body.metrics).toEqual([])
  })

  it('answers null and the time of the poll for an unknown literal name, and nothing for a pattern without a match', async () => {
    const before = Math.floor(Date.now() / 1000)
    const { metrics } = (await ofNode('poll/?metrics=no.such.name,no.such.*')).body
    expect(metrics).toEqual([sample('no.such.name', null, expect.any(Number) as unknown as number)])
    expect(metrics[0].timestamp).toBeGreaterThanOrEqual(before)
  })

  it('answers null with the time of the last reading when that is older than three report intervals', async () => {
    const nodeId = await addNode(api.database, clusterId)
    await report(nodeId, [1, 2, 3], time - 40)
    const stale = sample('load.load.shortterm', null, time - 40)
    expect((await ofNode('poll/?metrics=load.load.shortterm', nodeId)).body.metrics).toEqual([stale])
    expect((await ofNode('poll/?metrics=load.*', nodeId)).body.metrics).toEqual([stale])
  })

  it('adds up or averages the online nodes of a cluster as the definition says', async () => {
    expect((await ofCluster('poll/?metrics=*')).body.metrics).toEqual([
      sample('aggregation.cpu-average.cpu.idle', 80),
      sample('interface.eth0.if_octets.rx', 1500),
      sample('load.load.shortterm', 1),
    ])
  })

  it('without metrics is 400', async () => {
    for (const path of ['poll/', 'poll/?metrics=', 'poll/?metrics=,,']) {
      const { status, body } = await ofNode(path)
      expect(status).toBe(400)
      expect(body.error).toContain("'metrics' parameter is missing")
    }
  })

  it.each([
    ['65 patterns', Array.from({ length: 65 }, (_, i) => `*${i}`).join()],
    ['a pattern of 257 characters', `*${'a'.repeat(256)}`],
    ['a pattern of 10,000 characters', `*${'a'.repeat(9999)}`],
    ['a pattern with 17 stars', '*a'.repeat(17)],
    ['1,001 literal names', Array.from({ length: 1001 }, (_, i) => `m${i}`).join()],
  ])('with %s is 400 and says why', async (_, asked) => {
    const { status, body } = await ofCluster(`poll/?metrics=${asked}`)
    expect(status).toBe(400)
    expect(body.error).toMatch(/at most|longer|more than/)
  })

  it('takes the longest lists that are allowed', async () => {
    const asked = [
      ...Array.from({ length: 64 }, (_, i) => `load.*${i}`),
      ...Array.from({ length: 1000 }, (_, i) => `metric.number.${i}`),
    ]
    expect((await ofNode(`poll/?metrics=${asked.join()}`)).body.metrics).toHaveLength(1000)
  })
})

describe('metrics/across/', () => {
  it('answers a row for every node of the cluster that has the name', async () => {
    const { metrics } = (await ofCluster('across/?metrics=load.*')).body
    expect(metrics.slice(0, 2)).toEqual([
      { node: `/api/v1/nodes/${first}/`, ...sample('load.load.shortterm', 0.5) },
      { node: `/api/v1/nodes/${second}/`, ...sample('load.load.shortterm', 1.5) },
    ])
  })

  it('streams an answer that is too long for one piece', async () => {
    const big = await addCluster(api.database)
    const { intake } = api.context.metrics
    const metrics = Array.from({ length: 5000 }, (_, i) => ({
      name: `long.name.of.a.metric.${i}`,
      unit: 'count',
      aggregation: 'sum' as const,
    }))
    const values = Float64Array.from(metrics.keys())
    const nodeIds = [await addNode(api.database, big), await addNode(api.database, big)]
    for (const nodeId of nodeIds) {
      await intake.catalogue(nodeId, { id: 1, metrics })
      intake.frame(nodeId, encodeMetricFrame({ catalogue: 1, sequence: 1n, time, values }))
    }
    const { headers, body } = await api.get(`/api/v1/clusters/${big}/metrics/across/?metrics=*`)
    expect(headers['transfer-encoding']).toBe('chunked')
    expect(body.metrics).toHaveLength(10_000)
    const rows = new Set(
      (body.metrics as { node: string; value: number }[]).map(({ node, value }) => `${node}${value}`),
    )
    expect(rows.size).toBe(10_000)
  })
})

describe('errors of metrics', () => {
  it.each(['list/', 'poll/', 'poll/?metrics=*'])('%s of an unknown node or cluster is 404', async (path) => {
    expect((await api.get(`/api/v1/nodes/999999/metrics/${path}`)).status).toBe(404)
    expect((await api.get(`/api/v1/clusters/999999/metrics/${path}`)).status).toBe(404)
    expect((await api.get(`/api/v1/nodes/99999999999/metrics/${path}`)).status).toBe(404)
  })

  it('a wrong method is 405, no credentials are 401', async () => {
    expect((await api.call(`/api/v1/nodes/${first}/metrics/list/`, { method: 'POST', body: {} })).status).toBe(405)
    expect((await api.get(`/api/v1/nodes/${first}/metrics/list/`, { authorization: null })).status).toBe(401)
  })
})
