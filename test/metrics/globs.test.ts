import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeMetricFrame } from '@roost/api-types/agent'
import { beforeAll, describe, expect, it } from 'vitest'
import { useApi } from '../support/http/shared-api.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'

// Names in which every hostile pattern below nearly matches, up to its end.
const names = Array.from({ length: 20_000 }, (_, i) => `interface.eth${i % 97}.if_octets.${'a'.repeat(24)}.${i}`)

const api = await useApi()
const clusterId = await addCluster(api.database)
const nodeId = await addNode(api.database, clusterId)
beforeAll(async () => {
  const { intake } = api.context.metrics
  await intake.catalogue(nodeId, {
    id: 1,
    metrics: names.map((name) => ({ name, unit: 'count', aggregation: 'sum' })),
  })
  const values = Float64Array.from(names.keys())
  intake.frame(nodeId, encodeMetricFrame({ catalogue: 1, sequence: 1n, time: Date.now() / 1000, values }))
})

const poll = (patterns: readonly string[]) =>
  api.get(`/api/v1/nodes/${nodeId}/metrics/poll/?metrics=${encodeURIComponent(patterns.join())}`)

const many = (pattern: (i: number) => string) => Array.from({ length: 64 }, (_, i) => pattern(i))

describe('64 hostile patterns over 20,000 names', () => {
  it.each([
    ['stars that match up to the last letter', many((i) => `${'*a'.repeat(15)}X${i}`)],
    ['stars around a part that no name has', many((i) => `${'*a'.repeat(14)}*X${i}*`)],
    ['a long part that nearly fits', many((i) => `${'*a'.repeat(14)}*${'a'.repeat(16)}${i}*`)],
    ['the beginning that all names have', many((i) => `interface.eth${'*a'.repeat(14)}*Z${i}`)],
    ['what would be special in a regular expression', many((i) => `*[(\\${i}*.+?^$*`)],
  ])('%s: nothing matches, and the event loop goes on meanwhile', async (_, patterns) => {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const { status, body } = await poll(patterns)
    await sleep(20)
    delay.disable()
    expect([status, body.metrics]).toEqual([200, []])
    // A matcher that tries again after each star needs 80 s for the first of these; this is a time-out, no measurement.
    expect(delay.percentile(99) / 1e6).toBeLessThan(60_000)
  })

  it('that match everything give each name once', async () => {
    const { body } = await poll(many((i) => `*${'a*'.repeat(1 + (i % 15))}`))
    expect(body.metrics).toHaveLength(20_000)
  })
})
