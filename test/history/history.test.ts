import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import type { EnrolledNode } from '../support/agents/nodes.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'
import { definitions, historyAgent, stepMs, valueAt, windowFrame, windowMs } from './support.js'

const shared = shareApi()
const client = shareClient(shared)

let node: EnrolledNode
let clusterId: number
let sender: ReturnType<typeof historyAgent>
/** The beginning of what was sent: an hour ago, at a whole window. */
const from = Math.floor(Date.now() / windowMs) * windowMs - 3_600_000
const windows = 6
const answers: unknown[] = []

beforeAll(async () => {
  clusterId = await addCluster(shared.api.database)
  node = (await insertNodes(shared.api.database, clusterId, 1))[0]!
  sender = historyAgent({ ...shared.api, identity: node, metrics: definitions('load.shortterm', 'disk.sda.ops') })
  sender.agent.dial()
  await sender.agent.until(({ welcomed }) => welcomed === 1)
  for (let i = 0; i < windows; i++)
    answers.push(await sender.send(windowFrame({ startMs: from + i * windowMs, sequence: i + 1 }), i + 1))
})
afterAll(() => sender.agent.stop())

const iso = (ms: number) => new Date(ms).toISOString()
const history = (query: Record<string, string | number>, of = `nodes/${node.id}`) =>
  shared.get(`/api/v1/${of}/metrics/history/?${new URLSearchParams(query as Record<string, string>)}`)
const range = { start: iso(from), end: iso(from + windows * windowMs) }
const nullable = (value: number) => (Number.isNaN(value) ? null : value)

describe('the settings of an agent', () => {
  it('ask for windows of five minutes only where the agent can make them', async () => {
    const settings = sender.messages.find(({ type }) => type === 'settings')
    expect(settings).toMatchObject({ history: { window_s: 300, mantissa: 13 } })
    const [other] = await insertNodes(shared.api.database, clusterId, 1)
    if (other === undefined) throw new Error('No node was inserted.')
    const older = historyAgent({ ...shared.api, identity: other })
    Object.assign(older.agent.options, { hello: { capabilities: ['metrics'] } })
    older.agent.dial()
    await older.agent.until(() => older.messages.some(({ type }) => type === 'settings'))
    expect(older.messages.find(({ type }) => type === 'settings')).not.toHaveProperty('history')
    older.agent.stop()
  })
})

describe('readings', () => {
  it('are acknowledged when they are stored', async () => {
    expect(answers).toEqual(answers.map((_, i) => ({ type: 'ack', sequence: i + 1 })))
    expect(await shared.api.database.prisma.metricRaw.count({ where: { ownerId: node.id } })).toBe(windows)
  })

  it('come back exactly, and a gap is null', async () => {
    const { status, body } = await history({ ...range, metrics: '*', step: 10 })
    expect(status).toBe(200)
    const times = Array.from({ length: windows * 30 }, (_, i) => from + i * stepMs)
    expect(body.meta).toEqual({
      start: from / 1000,
      step: 10,
      points: windows * 30,
      level: 'raw',
      complete_until: (from + (windows - 1) * windowMs) / 1000,
    })
    expect(body.metrics).toEqual([
      {
        metric_name: 'disk.sda.ops',
        unit: 'count',
        times: times.map((time) => time / 1000),
        values: times.map((time) => nullable(valueAt(1, time))),
      },
      {
        metric_name: 'load.shortterm',
        unit: 'count',
        times: times.map((time) => time / 1000),
        values: times.map((time) => valueAt(0, time)),
      },
    ])
    expect(body.metrics[0].values).toContain(null)
  })

  it('come back from groups of columns of any length', async () => {
    const names = Array.from({ length: 20 }, (_, column) => `width.${String(column).padStart(2, '0')}`)
    const isWide = (column: number) => column === 4 || column === 9
    // 90 readings of 51 bits are more bytes than a group can say of a column in its place.
    const value = (column: number, timeMs: number) =>
      isWide(column) ? ((timeMs / stepMs) * 2_654_435_761) % 2 ** 51 : valueAt(column, timeMs)
    const [other] = await insertNodes(shared.api.database, clusterId, 1)
    if (other === undefined) throw new Error('No node was inserted.')
    const wide = historyAgent({ ...shared.api, identity: other, metrics: definitions(...names) })
    wide.agent.dial()
    await wide.agent.until(({ welcomed }) => welcomed === 1)
    const bytes = windowFrame({ startMs: from, sequence: 1, columns: names.length, readings: 90, value })
    expect(await wide.send(bytes, 1)).toMatchObject({ type: 'ack' })
    wide.agent.stop()
    const asked = [...names, 'width.0*', 'width.*', 'width.05,width.08', 'width.03,width.10,width.16']
    for (const metrics of asked) {
      const { body } = await history({ ...range, metrics, step: 10 }, `nodes/${other.id}`)
      const patterns = metrics.split(',').map((name) => new RegExp(`^${name.replace('*', '.*')}$`))
      const expected = names.flatMap((name, column) =>
        patterns.some((pattern) => pattern.test(name))
          ? [Array.from({ length: 90 }, (_, i) => nullable(value(column, from + i * stepMs)))]
          : [],
      )
      expect(body.metrics.map((one: { values: unknown }) => one.values)).toEqual(expected)
    }
  })

  it('are found by name and by pattern', async () => {
    const named = async (metrics: string) =>
      (await history({ ...range, metrics })).body.metrics.map((one: { metric_name: string }) => one.metric_name)
    expect(await named('load.shortterm')).toEqual(['load.shortterm'])
    expect(await named('disk.*')).toEqual(['disk.sda.ops'])
    expect(await named('nothing')).toEqual([])
  })

  it('are the points of a longer step: mean, minimum and maximum', async () => {
    const { body } = await history({ ...range, metrics: 'disk.sda.ops', step: 300 })
    const expected = Array.from({ length: windows }, (_, i) =>
      Array.from({ length: 30 }, (__, j) => valueAt(1, from + i * windowMs + j * stepMs)).filter(
        (v) => !Number.isNaN(v),
      ),
    )
    expect(body.metrics[0].min).toEqual(expected.map((values) => Math.min(...values)))
    expect(body.metrics[0].max).toEqual(expected.map((values) => Math.max(...values)))
    const means = expected.map((values) => values.reduce((a, b) => a + b) / values.length)
    // Nine digits.
    expect(body.metrics[0].mean).toEqual(means.map((mean) => Number(mean.toPrecision(9))))
  })

  it('leave null where nothing was sent', async () => {
    const { body } = await history({ start: iso(from - 2 * windowMs), end: range.end, metrics: 'load.*', step: 300 })
    expect(body.metrics[0].mean.slice(0, 3)).toEqual([null, null, expect.any(Number)])
  })

  it('of all nodes of a cluster name their node, and the typed API answers the same', async () => {
    const query = { ...range, metrics: 'load.*', step: 300 }
    const across = (
      await shared.get(
        `/api/v1/clusters/${clusterId}/metrics/across/history/?${new URLSearchParams({ ...query, step: '300' })}`,
      )
    ).body
    expect(across.metrics).toMatchObject([{ node: `/api/v1/nodes/${node.id}/`, metric_name: 'load.shortterm' }])
    const typed = await client.rpc.metrics.historyAcross.query({ ...query, id: clusterId, metrics: ['load.*'] })
    expect(typed).toEqual(across)
    const one = await client.rpc.metrics.historyOfNode.query({ ...query, id: node.id, metrics: ['load.*'] })
    expect(one.metrics[0]?.mean).toEqual(across.metrics[0].mean)
  })

  it('of many nodes have few points, and nodes without values are left out', async () => {
    const path = '/api/v1/nodes/metrics/sparklines/'
    const get = (query: Record<string, string>) => shared.get(`${path}?${new URLSearchParams(query)}`)
    const asked = { metric: 'load.shortterm', points: '6', ...range }
    const { body } = await get({ ...asked, id__in: `${node.id},999999` })
    expect(body).toMatchObject({ metric_name: 'load.shortterm', unit: 'count', meta: { step: 300, points: windows } })
    expect(body.sparklines).toEqual([{ node: `/api/v1/nodes/${node.id}/`, values: expect.any(Array) }])
    const full = (await history({ ...range, metrics: 'load.shortterm', step: 300 })).body.metrics[0]
    expect(body.sparklines[0].values).toEqual(full.mean)
    const typed = await client.rpc.metrics.sparklines.query({
      ids: [node.id],
      name: 'load.shortterm',
      points: 6,
      ...range,
    })
    expect(typed).toEqual(body)
    expect((await get({ id__in: String(node.id), metric: 'load.shortterm' })).body.meta).toMatchObject({ step: 120 })
    const many = Array.from({ length: 201 }, (_, i) => i + 1).join()
    for (const wrong of [{ id__in: '' }, { id__in: 'x' }, { id__in: many }, { metric: 'load.*' }, { points: '121' }])
      expect((await get({ ...asked, id__in: '1', ...(wrong as object) })).status).toBe(400)
  })

  it('end with the latest value', async () => {
    const at = Math.floor(Date.now() / 1000) - 1
    sender.agent.sendFrame(Float64Array.of(42, 43), at)
    await expect
      .poll(async () =>
        (await history({ start: range.start, metrics: 'load.*', step: 10 })).body.metrics[0].values.at(-1),
      )
      .toBe(42)
    const { body } = await history({ start: range.start, metrics: 'load.*', step: 10 })
    expect(body.metrics[0].times.at(-1)).toBe(at)
  })
})

describe('a question that cannot be answered', () => {
  it.each([
    [{ metrics: '*' }, "Give 'start'"],
    [{ metrics: '*', start: 'soon' }, "not a valid time for 'start'"],
    [{ start: '2026-01-01' }, "The 'metrics' parameter is missing"],
    [{ metrics: '*', start: '2026-01-02', end: '2026-01-01' }, "'end' is before 'start'"],
    [{ metrics: '*', start: '2026-01-01', step: 'x' }, "Invalid step 'x'"],
    [{ metrics: '*', start: '2026-01-01', step: 1 }, 'Use a longer step'],
    [{ metrics: '*', start: '2026-01-01', max_points: 11_001 }, "'max_points' must be a whole number from 1 to 11000"],
  ])('%j is refused with the reason', async (query, reason) => {
    const { status, text } = await history(query)
    expect([status, text]).toEqual([400, expect.stringContaining(reason)])
  })

  it('about an unknown node or cluster is not found', async () => {
    for (const of of ['nodes/999999', 'clusters/999999', 'clusters/999999/metrics/across'])
      expect((await history({ ...range, metrics: '*' }, of.replace('/metrics/across', ''))).status).toBe(404)
  })
})

describe('a chunk', () => {
  const stored = () => shared.api.database.prisma.metricRaw.count({ where: { ownerKind: 0, ownerId: node.id } })

  it('that is sent again is acknowledged and there once', async () => {
    const before = await stored()
    expect(await sender.send(windowFrame({ startMs: from, sequence: 101 }), 101)).toMatchObject({ type: 'ack' })
    expect(await stored()).toBe(before)
  })

  it.each([
    ['of garbage', 102, () => windowFrame({ startMs: from - windowMs, sequence: 102 }).fill(255, 60), /./],
    ['of other columns', 103, () => windowFrame({ startMs: from - windowMs, sequence: 103, columns: 3 }), /columns/],
    ['from the future', 104, () => windowFrame({ startMs: Date.now() + 7_200_000, sequence: 104 }), /future/],
    ['that is too long', 105, () => windowFrame({ startMs: from - 9e6, sequence: 105, readings: 100 }), /15 minutes/],
  ])('%s is refused for good, and the session stays', async (_, sequence, bytes, reason) => {
    const before = await stored()
    expect(await sender.send(bytes(), sequence)).toMatchObject({
      type: 'refused',
      of: 'history',
      permanent: true,
      message: expect.stringMatching(reason),
    })
    expect([await stored(), sender.agent.isConnected]).toEqual([before, true])
  })

  it('of an unknown catalogue is refused until its columns were sent', async () => {
    const bytes = windowFrame({ startMs: from - windowMs, sequence: 106, catalogue: 77, columns: 1 })
    const refused = await sender.send(bytes, 106)
    expect(refused).toMatchObject({ type: 'refused', of: 'history' })
    expect(refused).not.toHaveProperty('permanent')
    sender.agent.send({ type: 'history_columns', id: 77, metrics: definitions('older') })
    const again = windowFrame({ startMs: from - windowMs, sequence: 107, catalogue: 77, columns: 1 })
    expect(await sender.send(again, 107)).toMatchObject({ type: 'ack' })
    const { body } = await history({ start: iso(from - windowMs), end: range.end, metrics: '*', step: 10 })
    expect(body.metrics.map((one: { metric_name: string }) => one.metric_name)).toEqual([
      'disk.sda.ops',
      'load.shortterm',
      'older',
    ])
  })
})
