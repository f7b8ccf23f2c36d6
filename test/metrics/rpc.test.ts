import { createClient } from '@roost/api-types'
import type { Client } from '@roost/api-types'
import { encodeMetricFrame } from '@roost/api-types/agent'
import type { NodeMetricSample } from '@roost/api-types/rest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'

const names = Array.from({ length: 3000 }, (_, i) => `metric.${String(i).padStart(4, '0')}`)
let time = 0

let api: TestApi
let client: Client
let clusterId: number
let nodeIds: readonly number[]
beforeAll(async () => {
  api = await startApi()
  client = createClient({ url: api.url, apiKey: api.key, ca: api.ca })
  clusterId = await addCluster(api.database)
  nodeIds = [await addNode(api.database, clusterId), await addNode(api.database, clusterId)]
  const { intake } = api.context.metrics
  const metrics = names.map((name) => ({ name, unit: 'count', aggregation: 'sum' as const }))
  for (const nodeId of nodeIds) {
    intake.connected(nodeId)
    await intake.catalogue(nodeId, { id: 1, metrics })
  }
})
beforeEach(() => {
  // A value is fresh for half a minute.
  time = Math.floor(Date.now() / 1000)
  const frame = encodeMetricFrame({ catalogue: 1, sequence: 1n, time, values: Float64Array.from(names.keys()) })
  for (const nodeId of nodeIds) api.context.metrics.intake.frame(nodeId, frame)
})
afterAll(async () => {
  await client.close()
  await api.stop()
})

describe('metrics over tRPC', () => {
  it('are the names and values that REST answers', async () => {
    const { metrics } = client.rpc
    const id = nodeIds[0] ?? 0
    expect((await metrics.namesOfNode.query({ id })).metrics).toHaveLength(3000)
    expect((await metrics.namesOfCluster.query({ id: clusterId })).metrics).toHaveLength(3000)
    const asked = ['metric.0007', 'no.such']
    expect((await metrics.pollNode.query({ id, metrics: asked })).metrics[0]).toEqual({
      metric_name: 'metric.0007',
      timestamp: time,
      value: 7,
    })
    expect(
      (await metrics.pollCluster.query({ id: clusterId, metrics: asked })).metrics.map(({ value }) => value),
    ).toEqual([14, null])
  })

  it('stream across the nodes of a cluster in slices', async () => {
    const slices: (readonly NodeMetricSample[])[] = []
    for await (const slice of await client.rpc.metrics.across.query({ id: clusterId, metrics: ['*'] }))
      slices.push(slice)
    expect(slices.length).toBeGreaterThan(2)
    const rows = slices.flat()
    expect(rows).toHaveLength(6000)
    expect(rows[7]).toEqual({
      node: `/api/v1/nodes/${nodeIds[0]}/`,
      metric_name: 'metric.0007',
      timestamp: time,
      value: 7,
    })
  })

  it('answer what is wrong before the first row', async () => {
    const { across, pollNode } = client.rpc.metrics
    await expect(across.query({ id: 999_999, metrics: ['*'] })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
    await expect(across.query({ id: clusterId, metrics: [] })).rejects.toThrow("'metrics' parameter is missing")
    await expect(pollNode.query({ id: 999_999, metrics: ['*'] })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  })
})
