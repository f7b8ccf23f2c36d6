import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { openDatabase } from '@roost/database'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { windowMs } from '../history/support.js'
import { inFlight, windowsOf } from '../history/windows.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import type { EnrolledNode } from '../support/agents/nodes.js'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { useFolder } from '../support/programs/folder.js'
import { freePort } from '../support/programs/free-port.js'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })

const kills = process.env['ROOST_TEST_LONG'] === '1' ? 12 : 4
const windowsOfRound = 40
/** So long ago that all windows are in the past, at a whole window. */
const from = Math.floor(Date.now() / windowMs) * windowMs - kills * windowsOfRound * windowMs
const dataDir = await useFolder('killed-history')
const address = `127.0.0.1:${await freePort()}`
let roost: ControlPlaneProcess
let node: EnrolledNode
const windows = windowsOf(
  () => roost,
  () => node,
  from,
)

const start = () => startControlPlane({ dataDir, env: { ROOST_LISTEN: address } })

beforeAll(async () => {
  roost = await start()
  const database = openDatabase({ host: join(dataDir, 'run'), user: 'postgres', database: 'roost' })
  ;[node] = (await insertNodes(database, await addCluster(database), 1)) as [EnrolledNode]
  await database.close()
})
afterAll(() => roost.stop())

/** Sends windows, and kills the control plane once so many were acknowledged, while others are on their way. */
async function sendUntilKilled(first: number, last: number, killAfter: number): Promise<number> {
  return windows.send(first, last, async (acknowledged) => {
    if (acknowledged < first - 1 + killAfter) return false
    await roost.kill9()
    return true
  })
}

it('has each chunk once and every value, however often the control plane is killed while chunks arrive', async () => {
  let acknowledged = 0
  for (let kill = 0; kill < kills; kill++) {
    const [first, last] = [acknowledged + 1, (kill + 1) * windowsOfRound]
    // Those in flight may be acknowledged before it ends: some are never sent.
    acknowledged = await sendUntilKilled(first, last, randomInt(1, windowsOfRound - inFlight))
    expect(acknowledged).toBeGreaterThanOrEqual(first)
    expect(acknowledged).toBeLessThan(last)
    roost = await start()
    // What was acknowledged is there, and nothing twice.
    expect(await windows.read(acknowledged)).toEqual(windows.expected(acknowledged))
  }
  const last = kills * windowsOfRound
  expect(await windows.send(acknowledged + 1, last)).toBe(last)
  expect(await windows.read(last)).toEqual(windows.expected(last))
})
