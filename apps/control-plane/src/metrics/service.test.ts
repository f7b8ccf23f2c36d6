import { encodeMetricFrame } from '@roost/api-types/agent'
import type { MetricDefinition } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { createLatestValues } from './latest-values.js'
import { createMembers } from './members.js'
import { samplesJson } from './rows.js'
import { createMetricService } from './service.js'
import type { MetricReads } from './service.js'

const definitions: readonly MetricDefinition[] = [
  { name: 'load.shortterm', unit: 'load', aggregation: 'mean' },
  { name: 'interface.eth0.rx', unit: 'bytes/s', aggregation: 'sum' },
  { name: 'df.say "hi".free', unit: 'bytes', aggregation: 'sum' },
]
const start = 1_000_000
let now: number
let online: Set<number>
let latest: ReturnType<typeof createLatestValues>
let members: ReturnType<typeof createMembers>
let service: MetricReads

const missing = (what: string) => async (id: number) => {
  if (id > 10) throw new RoostError('not_found', `There is no ${what} ${id}.`)
}

beforeEach(() => {
  now = start
  online = new Set([1, 2])
  latest = createLatestValues({ now: () => now * 1000, monotonic: () => now * 1000 })
  members = createMembers()
  service = createMetricService({
    latest,
    members,
    requireNode: missing('node'),
    requireCluster: missing('cluster'),
    isOnline: (nodeId) => online.has(nodeId),
    now: () => now,
    reportIntervalMs: 10_000,
  })
  for (const nodeId of [1, 2]) join(nodeId, 1)
})

function join(nodeId: number, clusterId: number) {
  latest.storeCatalogue(nodeId, { id: 1, metrics: [...definitions] })
  members.add(nodeId, clusterId)
}

function report(nodeId: number, values: readonly number[], time = now) {
  latest.storeFrame(nodeId, encodeMetricFrame({ catalogue: 1, sequence: 1n, time, values: Float64Array.from(values) }))
}

const poll = async (...names: string[]) => (await service.pollNode(1, names)).metrics
const pollCluster = async (...names: string[]) => (await service.pollCluster(1, names)).metrics

describe('the metrics of a node', () => {
  it('are listed sorted by name', async () => {
    expect(await service.namesOfNode(1)).toEqual({
      metrics: [
        { metric_name: 'df.say "hi".free' },
        { metric_name: 'interface.eth0.rx' },
        { metric_name: 'load.shortterm' },
      ],
    })
  })

  it('come with the time of their reading in whole seconds', async () => {
    report(1, [0.5, 10, 7], start - 0.25)
    expect(await poll('load.*')).toEqual([{ metric_name: 'load.shortterm', timestamp: start - 1, value: 0.5 }])
  })

  it('are null three report intervals after their reading, under a wildcard too, with its time', async () => {
    report(1, [0.5, 10, 7])
    now = start + 30
    expect((await poll('load.*'))[0]?.value).toBe(0.5)
    now = start + 31
    expect(await poll('load.*')).toEqual([{ metric_name: 'load.shortterm', timestamp: start, value: null }])
  })

  it('are null with the time of the poll when their literal name is unknown, or was never read', async () => {
    now = start + 5
    expect(await poll('no.such', 'load.shortterm')).toEqual([
      { metric_name: 'load.shortterm', timestamp: now, value: null },
      { metric_name: 'no.such', timestamp: now, value: null },
    ])
  })

  it('add nothing for a pattern without a match', async () => {
    expect(await poll('no.such.*')).toEqual([])
  })

  it('of a node that never reported are none, and of no node are not found', async () => {
    expect(await service.namesOfNode(3)).toEqual({ metrics: [] })
    expect(await service.pollNode(3, ['*'])).toEqual({ metrics: [] })
    await expect(service.pollNode(11, ['*'])).rejects.toThrow('There is no node 11.')
    await expect(service.namesOfCluster(11)).rejects.toThrow('There is no cluster 11.')
  })

  it('are the same as JSON text and as objects', async () => {
    report(1, [1e-7, -0, Number.NaN])
    const { rows, moment } = await service.nodeAnswer(1, ['*', 'a"b'])
    const text = samplesJson(rows, moment)
    expect(JSON.parse(`[${text}]`)).toEqual(JSON.parse(JSON.stringify(await poll('*', 'a"b'))))
  })
})

describe('the metrics of a cluster', () => {
  it('add up or average the values of the nodes, as the definition says, with the time of the newest', async () => {
    report(1, [1, 10, 100], start - 5)
    report(2, [2, 20, 200], start - 1)
    expect(await pollCluster('*')).toEqual([
      { metric_name: 'df.say "hi".free', timestamp: start - 1, value: 300 },
      { metric_name: 'interface.eth0.rx', timestamp: start - 1, value: 30 },
      { metric_name: 'load.shortterm', timestamp: start - 1, value: 1.5 },
    ])
  })

  it('count every node once, however many there are and whatever one of them left out', async () => {
    for (let count = 1; count <= 9; count++) {
      const nodeId = 100 + count
      join(nodeId, 2)
      online.add(nodeId)
      report(nodeId, [count, 2 ** count, count === 6 ? Number.NaN : 1])
      const values = (await service.pollCluster(2, ['*'])).metrics.map(({ value }) => value)
      expect(values, `${count} nodes`).toEqual([count < 6 ? count : count - 1, 2 ** (count + 1) - 2, (count + 1) / 2])
      const some = (await service.pollCluster(2, ['interface.*'])).metrics.map(({ value }) => value)
      expect(some, `${count} nodes`).toEqual([2 ** (count + 1) - 2])
    }
  })

  it('leave out nodes that are not online, and values that are missing or old', async () => {
    report(1, [1, 10, 100], start - 31)
    report(1, [3, Number.NaN, Number.NaN], start)
    report(2, [5, 20, 200], start)
    expect((await pollCluster('load.*', '*.rx')).map(({ value }) => value)).toEqual([20, 4])
    online.delete(2)
    expect(await pollCluster('load.*', '*.rx')).toEqual([
      { metric_name: 'interface.eth0.rx', timestamp: start, value: null },
      { metric_name: 'load.shortterm', timestamp: start, value: 3 },
    ])
  })

  it('join the names of all nodes, and follow a node whose names change', async () => {
    report(1, [1, 10, 100])
    latest.storeCatalogue(2, { id: 2, metrics: [{ name: 'xfs.sdb.writes', unit: 'count', aggregation: 'sum' }] })
    latest.storeFrame(2, encodeMetricFrame({ catalogue: 2, sequence: 1n, time: now, values: Float64Array.of(8) }))
    expect((await service.namesOfCluster(1)).metrics).toHaveLength(4)
    expect((await pollCluster('xfs.*', 'load.*')).map(({ value }) => value)).toEqual([1, 8])
  })

  it('are null for a literal name that no node knows', async () => {
    expect(await pollCluster('no.such')).toEqual([{ metric_name: 'no.such', timestamp: start, value: null }])
  })
})

describe('the metrics across the nodes of a cluster', () => {
  it('are the rows of every node that has the name, offline ones too', async () => {
    report(1, [1, 10, 100])
    report(2, [2, 20, 200])
    online.delete(2)
    const slices = []
    for await (const slice of await service.across(1, ['load.*', 'no.such'])) slices.push(...slice)
    expect(slices).toEqual([
      { node: '/api/v1/nodes/1/', metric_name: 'load.shortterm', timestamp: start, value: 1 },
      { node: '/api/v1/nodes/2/', metric_name: 'load.shortterm', timestamp: start, value: 2 },
    ])
  })
})
