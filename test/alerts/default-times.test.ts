import type { Alert } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startQuietFleet } from '../support/alerts/quiet-fleet.js'
import type { QuietFleet, QuietNode } from '../support/alerts/quiet-fleet.js'
import { simulateTime } from '../support/alerts/simulated-time.js'
import type { SimulatedTime } from '../support/alerts/simulated-time.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'

const [roundMs, minuteMs] = [30_000, 60_000]

let api: TestApi
let fleet: QuietFleet
let node: QuietNode
let time: SimulatedTime
beforeAll(async () => {
  time = simulateTime(Date.parse('2026-11-22T10:00:00Z'))
  api = await startApi({ ROOST_HISTORY: 'off' })
  fleet = await startQuietFleet(api, time)
  // Its clock is right.
  ;[, , node] = fleet.storage
  await fleet.pass(roundMs)
})
afterAll(async () => {
  fleet.stop()
  await api.stop()
  time.stop()
})

const list = async () => (await api.get('/api/v1/alerts/?of_control_plane=false')).body.objects as readonly Alert[]
const brief = async () =>
  (await list()).map(({ code, hostname, subject, state }) => `${code} ${hostname} ${subject} ${state}`).toSorted()

/** Expects that the alerts that were found in the round that follows fire after this time, and in no round before. */
async function expectToFireAfter(forMs: number, alerts: readonly string[]): Promise<void> {
  await fleet.pass(roundMs)
  expect(await brief()).toEqual(alerts.map((alert) => `${alert} pending`))
  await fleet.pass(forMs - roundMs)
  expect(await brief()).toEqual(alerts.map((alert) => `${alert} pending`))
  await fleet.pass(roundMs)
  expect(await brief()).toEqual(alerts.map((alert) => `${alert} firing`))
}

/** Expects that the alerts end in the second round without the fault. */
async function expectToEnd(): Promise<void> {
  const before = await brief()
  await fleet.pass(roundMs)
  expect(await brief()).toEqual(before)
  await fleet.pass(roundMs)
  expect(await brief()).toEqual([])
}

describe('by the default times,', () => {
  it('a node with other rings is an alert for each ring after 15 minutes', async () => {
    await node.change({ ringVersion: 2 })
    const rings = ['account', 'container', 'object'].map((ring) => `RING_MISMATCH store-3 ${ring}`)
    await expectToFireAfter(15 * minuteMs, rings)
    expect((await list()).map(({ severity }) => severity)).toEqual(['critical', 'critical', 'critical'])
    await node.change({ ringVersion: 1 })
    await expectToEnd()
  })

  it('a node with another hash suffix in swift.conf is an alert after 15 minutes', async () => {
    const { hashDigest } = node.machine
    await node.change({ hashDigest: 'e'.repeat(64) })
    await expectToFireAfter(15 * minuteMs, ['SWIFT_CONF_MISMATCH store-3 store-3'])
    expect(await list()).toMatchObject([{ severity: 'critical' }])
    await node.change({ hashDigest })
    await expectToEnd()
  })

  it('a clock that is 4 s ahead is no alert', async () => {
    await node.change({ clockAheadSeconds: 4 })
    await fleet.pass(6 * minuteMs)
    expect(await brief()).toEqual([])
  })

  it.each([
    [6, 'warning'],
    [29, 'warning'],
    [-31, 'critical'],
  ])('a clock that is %d s ahead is an alert after 5 minutes, a %s one', async (clockAheadSeconds, severity) => {
    await node.change({ clockAheadSeconds })
    await expectToFireAfter(5 * minuteMs, ['CLOCK_SKEW store-3 store-3'])
    expect(await list()).toMatchObject([{ severity }])
    await node.change({ clockAheadSeconds: 0 })
    await expectToEnd()
  })

  it.each([
    ['account', 3_600],
    ['container', 3_600],
    ['object', 86_400],
  ] as const)('replication of %ss is an alert once its last pass is older than %d s', async (server, limit) => {
    await node.change({ lastPasses: { [server]: Date.now() - limit * 1_000 + 2 * minuteMs + roundMs / 3 } })
    await fleet.pass(2 * minuteMs)
    expect(await brief()).toEqual([])
    await fleet.pass(roundMs)
    expect(await brief()).toEqual([`REPLICATION_OLD store-3 ${server}-replicator firing`])
    expect(await list()).toMatchObject([{ severity: 'warning', value: limit + 20, threshold: limit }])
    await node.change({ lastPasses: { [server]: Date.now() } })
    await expectToEnd()
    await node.change({ lastPasses: {} })
  })
})
