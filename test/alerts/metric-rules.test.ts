import { encodeMetricFrame } from '@roost/api-types/agent'
import { beforeEach, describe, expect, it } from 'vitest'
import { useAlertRounds } from '../support/agents/alert-rounds.js'

const alerts = useAlertRounds()
const query = 'code=METRIC'

beforeEach(async () => {
  await alerts.api.database.prisma.alertMetricRule.deleteMany()
})

/** The node reports these values from now on: with each round, as a connected agent does. */
async function reporting(values: Readonly<Record<string, number>>, rounds = 1): Promise<void> {
  const { intake } = alerts.api.context.metrics
  const metrics = Object.keys(values).map((name) => ({ name, unit: 'count', aggregation: 'sum' as const }))
  intake.connected(alerts.node)
  await intake.catalogue(alerts.node, { id: 1, metrics })
  for (let i = 0; i < rounds; i++) {
    // The round begins half a minute later.
    const time = Date.now() / 1_000 + 30
    intake.frame(
      alerts.node,
      encodeMetricFrame({ catalogue: 1, sequence: 1n, time, values: Float64Array.from(Object.values(values)) }),
    )
    await alerts.rounds(1)
  }
}

const post = (body: object) => alerts.api.call('/api/v1/alert_metric_rules/', { method: 'POST', body })
async function add(body: object): Promise<string> {
  const rule = { name: 'load', metric: 'load.longterm', comparison: 'above', threshold: 10, for_seconds: 0, ...body }
  const { status, body: added } = await post(rule)
  expect(status).toBe(201)
  return added.resource_uri
}

describe('a limit of a metric', () => {
  it('is an alert of each value beyond it, once it has lasted', async () => {
    await add({ metric: 'load.*', for_seconds: 60, severity: 'critical' })
    await reporting({ 'load.longterm': 10.5, 'load.shortterm': 10, uptime: 99 }, 2)
    expect(await alerts.brief(query)).toEqual(['METRIC load: load.longterm pending'])
    await reporting({ 'load.longterm': 12.345_678, 'load.shortterm': 10, uptime: 99 })
    expect(await alerts.list(query)).toMatchObject([
      {
        state: 'firing',
        severity: 'critical',
        node: `/api/v1/nodes/${alerts.node}/`,
        hostname: 'store-1',
        threshold: 10,
        summary: 'load.longterm of store-1 is 12.35; the rule load allows nothing above 10.',
        doc: '/docs/alerts/METRIC',
      },
    ])
    const { body } = await alerts.api.get(`/api/v1/clusters/${alerts.cluster}/health/`)
    expect(body.verdict).toBe('ok')
  })

  it('ends an alert at another value than it begins one', async () => {
    await add({ end_threshold: 8 })
    await reporting({ 'load.longterm': 9 })
    expect(await alerts.brief(query)).toEqual([])
    await reporting({ 'load.longterm': 11 })
    await reporting({ 'load.longterm': 8.1 }, 3)
    expect(await alerts.brief(query)).toEqual(['METRIC load: load.longterm firing'])
    await reporting({ 'load.longterm': 8 }, 2)
    expect(await alerts.brief(query)).toEqual([])
  })

  it('can be one from below, and for the cluster', async () => {
    await add({ name: 'few', level: 'cluster', metric: 'uptime', comparison: 'below', threshold: 5 })
    await reporting({ uptime: 5 })
    expect(await alerts.brief(query)).toEqual([])
    await reporting({ uptime: 4.9 })
    expect(await alerts.list(query)).toMatchObject([
      {
        subject: 'few: uptime',
        node: null,
        value: 4.9,
        summary: 'uptime of east is 4.9; the rule few allows nothing below 5.',
      },
    ])
  })

  it('does not end because a value is missing, but when its rule is disabled or removed', async () => {
    const uri = await add({})
    await reporting({ 'load.longterm': 11 })
    expect(await alerts.brief(query)).toEqual(['METRIC load: load.longterm firing'])
    await alerts.rounds(2)
    expect(await alerts.brief(query)).toEqual(['METRIC load: load.longterm unknown'])
    expect((await alerts.api.patch(uri, { enabled: false })).status).toBe(202)
    await alerts.rounds(2)
    expect(await alerts.brief(query)).toEqual([])
  })

  it('is of its cluster alone where it names one', async () => {
    const other = await alerts.api.database.prisma.cluster.create({ data: { name: 'west' } })
    await add({ cluster: other.id })
    await reporting({ 'load.longterm': 11 })
    expect(await alerts.brief(query)).toEqual([])
  })

  it('has a name of its own, and ends no alert beyond its limit', async () => {
    const uri = await add({})
    expect(await post({ name: 'load', metric: 'uptime', comparison: 'above', threshold: 1 })).toMatchObject({
      status: 400,
      body: { alert_metric_rules: { name: ["A rule 'load' already exists."] } },
    })
    const beyond = { end_threshold: ['It must not be above the threshold.'] }
    expect(await alerts.api.patch(uri, { end_threshold: 11 })).toMatchObject({
      status: 400,
      body: { alert_metric_rules: beyond },
    })
    expect((await alerts.api.patch(uri, { end_threshold: 11, threshold: 12 })).status).toBe(202)
  })
})
