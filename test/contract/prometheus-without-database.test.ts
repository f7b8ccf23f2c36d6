import { join } from 'node:path'
import { Agent, request } from 'undici'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { expectPromised } from '../support/clock/promised.js'
import { startInProcess } from '../support/http/control-plane.js'
import type { InProcessControlPlane } from '../support/http/control-plane.js'
import { useDatabase } from '../support/database/database.js'
import { startTcpProxy } from '../support/programs/tcp-proxy.js'
import type { TcpProxy } from '../support/programs/tcp-proxy.js'

const { connection } = await useDatabase()
let wire: TcpProxy
let roost: InProcessControlPlane
let dispatcher: Agent
beforeAll(async () => {
  const { host, user, database: name } = connection
  wire = await startTcpProxy({ path: join(host, '.s.PGSQL.5432') })
  roost = await startInProcess(`postgresql://${user}@127.0.0.1:${wire.port}/${name}`)
  dispatcher = new Agent({ connect: { ca: roost.ca } })
})
afterEach(() => {
  wire.set({ kind: 'pass' })
  wire.reset()
})
afterAll(async () => {
  await dispatcher.close()
  await roost.stop()
  await wire.close()
})

async function get(path: string, { key = roost.key, timeoutSeconds = 60 } = {}) {
  const headers = { authorization: `apikey ${key}`, 'x-prometheus-scrape-timeout-seconds': String(timeoutSeconds) }
  const { statusCode, body } = await request(`${roost.url}${path}`, { dispatcher, headers })
  return { status: statusCode, text: await body.text() }
}

const isUp = () => expect.poll(async () => (await get('/metrics')).text).toContain('roost_database_up 1\n')

/** What credentials are good for without a look at the database has passed. */
const asksAgain = () => new Promise((resolve) => setTimeout(resolve, 2_100))

it('answers the metrics of the process to keys that were valid before, and to no others', async () => {
  await isUp()
  await asksAgain()
  wire.set({ kind: 'refuse' })
  wire.reset()
  const { status, text } = await get('/metrics')
  expect([status, text]).toEqual([200, expect.stringContaining('roost_database_up 0\n')])
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
  expect(text).not.toContain('roost_nodes')
  expect((await get('/metrics', { key: 'admin:wrong' })).status).toBe(503)
  expect((await get('/api/v1/clusters/')).status).toBe(503)
  wire.set({ kind: 'pass' })
  await isUp()
})

it('answers within the time that Prometheus waits when the database says nothing at all', async () => {
  await isUp()
  await asksAgain()
  wire.set({ kind: 'black-hole', direction: 'both' })
  const asked = performance.now()
  const { status, text } = await get('/metrics', { timeoutSeconds: 4 })
  expectPromised('metrics while the database says nothing', performance.now() - asked, 4_000)
  expect([status, text]).toEqual([200, expect.stringContaining('roost_database_up 0\n')])
})
