import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { openDatabase } from '@roost/database'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { definitions, historyAgent, stepMs, valueAt, windowFrame, windowMs } from '../history/support.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import type { EnrolledNode } from '../support/agents/nodes.js'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { request } from '../support/http/request.js'
import { useFolder } from '../support/programs/folder.js'
import { freePort } from '../support/programs/free-port.js'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

const kills = process.env['ROOST_TEST_LONG'] === '1' ? 12 : 4
const windowsOfRound = 40
/** How many are sent before the first of them is acknowledged. */
const inFlight = 4
/** So long ago that all windows are in the past, at a whole window. */
const from = Math.floor(Date.now() / windowMs) * windowMs - kills * windowsOfRound * windowMs
const dataDir = await useFolder('killed-history')
const address = `127.0.0.1:${await freePort()}`
let roost: ControlPlaneProcess
let node: EnrolledNode

const start = () => startControlPlane({ dataDir, env: { ROOST_LISTEN: address } })

beforeAll(async () => {
  roost = await start()
  const database = openDatabase({ host: join(dataDir, 'run'), user: 'postgres', database: 'roost' })
  ;[node] = (await insertNodes(database, await addCluster(database), 1)) as [EnrolledNode]
  await database.close()
})
afterAll(() => roost.stop())

/**
 * Sends windows from a number on, four at a time as agents do, and returns the number up to which all were acknowledged. The control
 * plane is killed once so many were, while others are on their way.
 */
async function sendUntilEnd(first: number, last: number, killAfter = Infinity): Promise<number> {
  const { agent, messages } = historyAgent({ ...roost, identity: node, metrics: definitions('disk.ops', 'load') })
  const acknowledged = () => {
    const answered = new Set(messages.flatMap((one) => (one.type === 'ack' ? [one.sequence] : [])))
    let end = first - 1
    while (answered.has(end + 1)) end += 1
    return end
  }
  const isRefused = () => messages.some(({ type }) => type === 'refused')
  const isOver = () => agent.ended !== undefined || isRefused()
  agent.dial()
  await agent.until(({ welcomed }) => welcomed === 1 || isOver())
  for (let sequence = first; sequence <= last && !isOver(); sequence++) {
    agent.sendBytes(windowFrame({ startMs: from + (sequence - 1) * windowMs, sequence }))
    await agent.until(() => acknowledged() > sequence - inFlight || isOver(), 60_000)
    if (acknowledged() < first - 1 + killAfter) continue
    await roost.kill9()
    break
  }
  await agent.until(() => acknowledged() === last || isOver(), 60_000)
  agent.stop()
  expect(isRefused()).toBe(false)
  return acknowledged()
}

it('has each chunk once and every value, however often the control plane is killed while chunks arrive', async () => {
  let acknowledged = 0
  for (let kill = 0; kill < kills; kill++) {
    const [first, last] = [acknowledged + 1, (kill + 1) * windowsOfRound]
    // Those in flight may be acknowledged before it ends: some are never sent.
    acknowledged = await sendUntilEnd(first, last, randomInt(1, windowsOfRound - inFlight))
    expect(acknowledged).toBeGreaterThanOrEqual(first)
    expect(acknowledged).toBeLessThan(last)
    roost = await start()
    // What was acknowledged is there, and nothing twice.
    expect(await timesOf(acknowledged)).toEqual(expectedTimes(acknowledged))
  }
  const last = kills * windowsOfRound
  expect(await sendUntilEnd(acknowledged + 1, last)).toBe(last)
  const [operations, load] = await seriesUntil(last)
  const values = (column: number) =>
    expectedTimes(last).map((time) => {
      const value = valueAt(column, time * 1000)
      return Number.isNaN(value) ? null : value
    })
  expect(operations).toMatchObject({ metric_name: 'disk.ops', times: expectedTimes(last), values: values(0) })
  expect(load).toMatchObject({ metric_name: 'load', times: expectedTimes(last), values: values(1) })
})

interface Series {
  readonly metric_name: string
  readonly times: readonly number[]
  readonly values: readonly (number | null)[]
}

/** Reads the readings of so many windows. */
async function seriesUntil(windows: number): Promise<readonly Series[]> {
  const range = { start: new Date(from).toISOString(), end: new Date(from + windows * windowMs).toISOString() }
  const query = new URLSearchParams({ ...range, metrics: '*', step: '10' }).toString()
  const { body } = await request(roost, `/api/v1/nodes/${node.id}/metrics/history/?${query}`)
  return (body as { metrics: readonly Series[] }).metrics
}

async function timesOf(windows: number): Promise<readonly number[]> {
  return windows === 0 ? [] : ((await seriesUntil(windows))[0]?.times ?? [])
}

function expectedTimes(windows: number): readonly number[] {
  return Array.from({ length: (windows * windowMs) / stepMs }, (_, i) => (from + i * stepMs) / 1000)
}
