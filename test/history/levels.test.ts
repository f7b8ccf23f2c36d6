import { afterAll, beforeAll, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import type { EnrolledNode } from '../support/agents/nodes.js'
import { shareApi } from '../support/http/shared-api.js'
import { definitions, historyAgent, stepMs, valueAt, windowFrame, windowMs } from './support.js'

const shared = shareApi()
const hourMs = 3_600_000
const dayMs = 24 * hourMs

let node: EnrolledNode
let sender: ReturnType<typeof historyAgent>
let sequence = 0
/** Midnight five days ago: beyond the readings that are kept. */
const from = Math.floor(Date.now() / dayMs) * dayMs - 5 * dayMs

const send = async (...starts: number[]) => {
  for (const startMs of starts) {
    sequence += 1
    const answer = await sender.send(windowFrame({ startMs, sequence }), sequence)
    if (answer?.type !== 'ack') throw new Error(`The chunk was not stored: ${JSON.stringify(answer)}`)
  }
}

beforeAll(async () => {
  const clusterId = await addCluster(shared.api.database)
  node = (await insertNodes(shared.api.database, clusterId, 1))[0]!
  sender = historyAgent({ ...shared.api, identity: node, metrics: definitions('a', 'b') })
  sender.agent.dial()
  await sender.agent.until(({ welcomed }) => welcomed === 1)
  // Three hours, of which ten minutes are missing.
  const starts = Array.from({ length: 36 }, (_, i) => from + i * windowMs)
  await send(...starts.filter((_, i) => i !== 10 && i !== 11))
})
afterAll(() => sender.agent.stop())

/** Makes all rows of the levels; the control plane's own job may be doing it at the same time. */
async function makeLevels(): Promise<void> {
  const { history } = shared.api.context
  await expect
    .poll(async () => {
      await history.makeLevels(new AbortController().signal)
      const rows = await shared.api.database.prisma.metricProgress.findMany({ where: { ownerId: node.id } })
      return rows.length === 2 && rows.every(({ until }) => until.getTime() > from)
    })
    .toBe(true)
}

const history = async (step: number) => {
  const end = new Date(from + 4 * hourMs).toISOString()
  const query = new URLSearchParams({ metrics: '*', start: new Date(from).toISOString(), end, step: String(step) })
  return (await shared.get(`/api/v1/nodes/${node.id}/metrics/history/?${query}`)).body
}

const valuesOf = (column: number, start: number, ms: number) =>
  Array.from({ length: ms / stepMs }, (_, i) => start + i * stepMs)
    .filter((time) => time < from + 3 * hourMs && ![10, 11].includes(Math.floor((time - from) / windowMs)))
    .map((time) => valueAt(column, time))
    .filter((value) => !Number.isNaN(value))

function expectPoints(series: { mean: (number | null)[]; min: unknown; max: unknown }, column: number, ms: number) {
  const expected = Array.from({ length: (4 * hourMs) / ms }, (_, i) => valuesOf(column, from + i * ms, ms))
  expect(series.min).toEqual(expected.map((values) => (values.length === 0 ? null : Math.min(...values))))
  expect(series.max).toEqual(expected.map((values) => (values.length === 0 ? null : Math.max(...values))))
  const means = expected.map((_, i) => meanOf(column, from + i * ms, ms))
  expect(series.mean.map((mean) => mean === null)).toEqual(means.map((mean) => mean === null))
  // The levels round to 13 bits.
  const errors = means.map((mean, i) => (mean === null ? 0 : Math.abs((series.mean[i] ?? 0) / mean - 1)))
  expect(Math.max(...errors)).toBeLessThanOrEqual(1.3e-4)
}

/** The mean of an hour is that of its five minutes, which may have different numbers of readings. */
function meanOf(column: number, start: number, ms: number): number | null {
  const means = Array.from({ length: ms / windowMs }, (_, i) => valuesOf(column, start + i * windowMs, windowMs))
    .filter((values) => values.length > 0)
    .map((values) => values.reduce((a, b) => a + b) / values.length)
  return means.length === 0 ? null : means.reduce((a, b) => a + b) / means.length
}

it('readings beyond retention stay until the levels have them', async () => {
  await shared.api.context.history.keepWithin()
  expect(await shared.api.database.prisma.metricRaw.count()).toBe(34)
})

it('the levels have mean, minimum and maximum, and a gap stays a gap', async () => {
  await makeLevels()
  await shared.api.context.history.keepWithin()
  expect(await shared.api.database.prisma.metricRaw.count()).toBe(0)
  for (const [step, level] of [
    [300, '5min'],
    [3600, 'hour'],
  ] as const) {
    const { meta, metrics } = await history(step)
    expect(meta).toMatchObject({ level, step })
    expectPoints(metrics[0], 0, step * 1000)
    expectPoints(metrics[1], 1, step * 1000)
  }
  expect((await history(300)).metrics[0].mean.slice(10, 12)).toEqual([null, null])
})

it('a chunk that comes late is added to a level whose readings were dropped', async () => {
  const before = (await history(300)).metrics[0]
  await send(from + 10 * windowMs)
  await makeLevels()
  const after = (await history(300)).metrics[0]
  expect(after.max[10]).toBe(
    Math.max(...Array.from({ length: 30 }, (_, i) => valueAt(0, from + 10 * windowMs + i * stepMs))),
  )
  expect(after.mean[11]).toBeNull()
  expect(after.mean.toSpliced(10, 1)).toEqual(before.mean.toSpliced(10, 1))
  expect((await history(3600)).metrics[0].max[0]).toBeGreaterThanOrEqual(after.max[10])
})

it('a chunk from before all retention is acknowledged and dropped', async () => {
  await send(from - 100 * dayMs)
  expect(await shared.api.database.prisma.metricRaw.count({ where: { startedAt: { lt: new Date(from) } } })).toBe(0)
  expect(shared.api.context.history.intake.counters.tooOld).toBe(1)
})
