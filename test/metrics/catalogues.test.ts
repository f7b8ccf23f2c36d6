import { encodeMetricFrame } from '@roost/api-types/agent'
import type { MetricDefinition } from '@roost/api-types/agent'
import { createMetrics } from '@roost/control-plane/dist/metrics/feature.js'
import type { MetricFeature } from '@roost/control-plane/dist/metrics/feature.js'
import { createMetricStore } from '@roost/control-plane/dist/metrics/store.js'
import { systemClock } from '@roost/runtime'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

let clusterId: number
let nodeIds: readonly [number, number]
let metrics: MetricFeature
beforeEach(async () => {
  await database.prisma.node.deleteMany()
  await database.prisma.metricDefinitions.deleteMany()
  clusterId = await addCluster(database)
  nodeIds = [await addNode(database, clusterId), await addNode(database, clusterId)]
  metrics = build()
})

function build(): MetricFeature {
  return createMetrics({
    store: createMetricStore(database),
    requireCluster: async () => {},
    clock: systemClock,
    reportIntervalMs: 10_000,
  })
}

const definitions = (...names: string[]): MetricDefinition[] =>
  names.map((name) => ({ name, unit: 'count', aggregation: 'sum' }))

const names = async (feature: MetricFeature, nodeId: number) =>
  (await feature.reads.namesOfNode(nodeId)).metrics.map(({ metric_name }) => metric_name)

function frame(...values: number[]): Uint8Array {
  return encodeMetricFrame({ catalogue: 1, sequence: 1n, time: Date.now() / 1000, values: Float64Array.from(values) })
}

describe('the names of a node', () => {
  it('are known after a restart, before its agent reports again', async () => {
    await metrics.intake.catalogue(nodeIds[0], { id: 1, metrics: definitions('b', 'a') })
    const restarted = build()
    await restarted.intake.refresh()
    expect(await names(restarted, nodeIds[0])).toEqual(['a', 'b'])
    expect((await restarted.reads.namesOfCluster(clusterId)).metrics).toHaveLength(2)
    expect((await restarted.reads.pollNode(nodeIds[0], ['*'])).metrics.map(({ value }) => value)).toEqual([null, null])
  })

  it('are those of its last catalogue, although the one before takes longer to store', async () => {
    const many = definitions(...Array.from({ length: 10_000 }, (_, i) => `many.n${i}`))
    await Promise.all([
      metrics.intake.catalogue(nodeIds[0], { id: 1, metrics: many }),
      metrics.intake.catalogue(nodeIds[0], { id: 2, metrics: definitions('last') }),
    ])
    const restarted = build()
    await restarted.intake.refresh()
    expect(await names(restarted, nodeIds[0])).toEqual(['last'])
  })

  it('take no frame from before the restart, whose catalogue is not known any more', async () => {
    await metrics.intake.catalogue(nodeIds[0], { id: 1, metrics: definitions('a') })
    const restarted = build()
    await restarted.intake.refresh()
    restarted.intake.frame(nodeIds[0], frame(7))
    expect(restarted.latest.counters.unknownCatalogue).toBe(1)
    await restarted.intake.catalogue(nodeIds[0], { id: 1, metrics: definitions('a') })
    restarted.intake.frame(nodeIds[0], frame(7))
    expect((await restarted.reads.pollNode(nodeIds[0], ['a'])).metrics[0]?.value).toBe(7)
  })

  it('may be followed by frames before they are stored', async () => {
    const stored = metrics.intake.catalogue(nodeIds[0], { id: 1, metrics: definitions('a') })
    metrics.intake.frame(nodeIds[0], frame(7))
    await stored
    expect((await metrics.reads.pollNode(nodeIds[0], ['a'])).metrics[0]?.value).toBe(7)
  })

  it('are stored once for all nodes that have the same, and removed with the last of them', async () => {
    for (const nodeId of nodeIds) await metrics.intake.catalogue(nodeId, { id: 1, metrics: definitions('a') })
    expect(await database.prisma.metricDefinitions.count()).toBe(1)
    expect(await database.prisma.metricCatalogue.count()).toBe(2)
    await metrics.intake.prune()
    expect(await database.prisma.metricDefinitions.count()).toBe(1)
    await database.prisma.node.deleteMany()
    await metrics.intake.prune()
    expect(await database.prisma.metricDefinitions.count()).toBe(0)
  })

  it('are not written again when an agent that reconnects sends the same', async () => {
    await metrics.intake.catalogue(nodeIds[0], { id: 1, metrics: definitions('a') })
    await database.prisma.metricCatalogue.deleteMany()
    await metrics.intake.catalogue(nodeIds[0], { id: 2, metrics: definitions('a') })
    expect(await database.prisma.metricCatalogue.count()).toBe(0)
  })

  it('are refused for a node that is gone', async () => {
    await database.prisma.node.delete({ where: { id: nodeIds[0] } })
    await expect(metrics.intake.catalogue(nodeIds[0], { id: 1, metrics: definitions('a') })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(metrics.latest.size).toBe(0)
  })

  it('are forgotten when the node is removed', async () => {
    for (const nodeId of nodeIds) await metrics.intake.catalogue(nodeId, { id: 1, metrics: definitions(`of${nodeId}`) })
    await database.prisma.node.delete({ where: { id: nodeIds[0] } })
    await metrics.intake.refresh()
    await expect(metrics.reads.namesOfNode(nodeIds[0])).rejects.toMatchObject({ code: 'not_found' })
    expect((await metrics.reads.namesOfCluster(clusterId)).metrics).toEqual([{ metric_name: `of${nodeIds[1]}` }])
  })

  it('are none for a node that has not reported yet', async () => {
    await metrics.intake.refresh()
    expect(await names(metrics, nodeIds[0])).toEqual([])
  })
})
