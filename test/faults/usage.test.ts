import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { useDatabase } from '../support/database/database.js'
import { useFolder } from '../support/programs/folder.js'
import { addCluster, addPolicy } from '../support/agents/fleet-rows.js'
import { insertNodes } from '../support/agents/nodes.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { halfHourMs, storageOf, transferOf, usageMessage } from '../support/database/usage-rows.js'

const crashes = process.env['ROOST_TEST_LONG'] === '1' ? 50 : 2
const messages = 60

const database = await useDatabase()
const dataDir = await useFolder('usage')
let roost: ControlPlaneProcess
beforeAll(async () => {
  roost = await start()
})
afterAll(async () => {
  await roost.stop()
})

const start = () => startControlPlane({ dataDir, env: { DATABASE_URL: database.url } })

vi.setConfig({ testTimeout: 300_000 })

it('usage counts once, and what was acknowledged is there, however often the control plane is killed meanwhile', async () => {
  const clusterId = await addCluster(database)
  const [identity] = await insertNodes(database, clusterId, 1)
  if (identity === undefined) throw new Error('no node')
  await database.prisma.node.updateMany({ data: { inAccountRing: true, rolesGranted: ['runs_proxy'] } })
  await addPolicy(database, clusterId, 0)
  const first = Math.floor(Date.now() / halfHourMs) - messages
  const acknowledged = new Set<number>()

  /** Sends everything that has no acknowledgement yet, as the agent's spool does, until `enough` came. */
  const session = async (enough: () => boolean) => {
    const agent = new SimulatedAgent({
      url: roost.url,
      ca: roost.ca,
      identity,
      onMessage: (message) => message.type === 'ack' && acknowledged.add(message.sequence),
    })
    agent.dial()
    await agent.until(({ welcomed }) => welcomed > 0)
    for (let i = 0; i < messages && !enough() && agent.ended === undefined; i++) {
      if (acknowledged.has(i)) continue
      const usage = { storage: [storageOf('AUTH_a', i)], transfer: [transferOf('AUTH_a', 1, 2)], log_read: 1 }
      agent.send({ ...usageMessage((first + i) * halfHourMs, usage), sequence: i })
      await sleep(25) // stay below 50 messages a second
    }
    return agent
  }

  for (let crash = 1; crash <= crashes; crash++) {
    const before = acknowledged.size
    const agent = await session(() => acknowledged.size >= before + 5)
    await roost.kill9()
    agent.stop('terminate')
    const { rows } = await database.pool.query('select count(*)::int as count from storage_usage')
    expect(rows[0].count).toBeGreaterThanOrEqual(acknowledged.size)
    roost = await start()
  }
  const agent = await session(() => false)
  await agent.until(() => acknowledged.size === messages)
  agent.stop()
  const { rows } = await database.pool.query(
    'select count(*)::int as count, sum(bytes_in)::int as input, sum(bytes_out)::int as output from transfer_usage',
  )
  expect(rows).toEqual([{ count: messages, input: messages, output: 2 * messages }])
})
