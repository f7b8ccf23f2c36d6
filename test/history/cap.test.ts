import { fiveMinutes, hour, raw } from '@roost/control-plane/dist/history/storage/levels.js'
import { listPartitions, partitionOf } from '@roost/control-plane/dist/history/storage/partitions.js'
import { keepWithin } from '@roost/control-plane/dist/history/storage/retention.js'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { shareApi } from '../support/http/shared-api.js'
import { definitions, historyAgent, windowFrame, windowMs } from './support.js'

const shared = shareApi()
const dayMs = 86_400_000
const now = Date.now()
/** Two days with readings, in an earlier month. */
const days = [41, 40].map((ago) => Math.floor(now / dayMs) * dayMs - ago * dayMs)
let sender: ReturnType<typeof historyAgent>

beforeAll(async () => {
  const { database, context } = shared.api
  const [identity] = await insertNodes(database, await addCluster(database), 1)
  if (identity === undefined) throw new Error('No node was inserted.')
  sender = historyAgent({ ...shared.api, identity, metrics: definitions('a', 'b') })
  sender.agent.dial()
  await sender.agent.until(({ welcomed }) => welcomed === 1)
  for (const [i, startMs] of days.entries()) {
    const answer = await sender.send(windowFrame({ startMs: startMs + windowMs, sequence: i + 1 }), i + 1)
    if (answer?.type !== 'ack') throw new Error(`The chunk was not stored: ${JSON.stringify(answer)}`)
  }
  // The control plane's own job may be making them at the same time.
  await vi.waitFor(async () => {
    await context.history.makeLevels(new AbortController().signal)
    if ((await database.prisma.metricHour.count()) < days.length) throw new Error('The levels are not made.')
  }, waitTimeoutMs)
})
afterAll(() => sender.agent.stop())

const levels = [raw, fiveMinutes, hour]

async function keep(maxBytes: number): Promise<void> {
  const kept = { rawMs: 90 * dayMs, fiveMinutesMs: 90 * dayMs, hourMs: 90 * dayMs }
  await keepWithin(shared.api.database, { kept, maxBytes, now: () => now })
}

async function partitions() {
  const all = (await Promise.all(levels.map((level) => listPartitions(shared.api.database, level)))).flat()
  return { names: all.map(({ name }) => name), bytes: all.reduce((sum, { bytes }) => sum + bytes, 0) }
}

/** Allows a byte less than there is, and returns the names of the partitions that were dropped for it. */
async function dropped(): Promise<readonly string[]> {
  const before = await partitions()
  await keep(before.bytes - 1)
  const after = await partitions()
  return before.names.filter((name) => !after.names.includes(name))
}

it('above the maximum of bytes the oldest readings are dropped first, then the oldest five minutes', async () => {
  await keep(Infinity)
  const ended = levels.flatMap((level) =>
    days.map((day) => partitionOf(level, day)).filter(({ endMs }) => endMs <= now),
  )
  for (const name of new Set(ended.map((partition) => partition.name))) expect(await dropped()).toEqual([name])
  // What is written now stays, however little is allowed.
  expect(await dropped()).toEqual([])
})
