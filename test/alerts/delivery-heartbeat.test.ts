import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createClient } from '@roost/api-types'
import { useAlertLab } from '../support/alerts/alert-lab.js'
import { startReceivingServer } from '../support/alerts/receiving-server.js'
import type { ReceivingServer } from '../support/alerts/receiving-server.js'
import { freePort } from '../support/programs/free-port.js'
import { runRoost } from '../support/programs/processes.js'
import { controlPlaneEnv } from '../support/http/control-plane.js'

const port = await freePort()
const lab = useAlertLab({ ROOST_HEARTBEAT_URL: `http://127.0.0.1:${port}/ping/secret-id` })
let server: ReceivingServer
beforeAll(async () => {
  server = await startReceivingServer({ port })
})
afterAll(() => server.stop())
beforeEach(() => {
  server.received.length = 0
  server.answer = { status: 200 }
})

const run = () => lab.api.context.alertDelivery.heartbeat.run()
const status = async () => {
  const { url, ca, key: apiKey } = lab.api
  const { rpc, close } = createClient({ url, ca, apiKey })
  const found = await rpc.heartbeat.query()
  await close()
  return found
}
const doctor = async () => {
  const { dataDir } = lab.api.controlPlane
  const { stdout } = await runRoost(['doctor', '-o', 'json'], controlPlaneEnv(dataDir))
  const checks = JSON.parse(stdout) as readonly Readonly<Record<'check' | 'verdict' | 'message', string>>[]
  const found = checks.find(({ check }) => check === 'alerts')
  return `${found?.verdict}: ${found?.message}`
}

it('the heartbeat is called while alerts are evaluated, and the doctor knows', async () => {
  await run()
  expect(server.received).toMatchObject([{ method: 'GET', path: '/ping/secret-id' }])
  expect(await status()).toEqual({ target: `127.0.0.1:${port}`, last_success_at: new Date().toISOString(), error: '' })
  expect(await doctor()).toBe(`ok: sent to 0 receivers; heartbeat to 127.0.0.1:${port}`)
})

it('the heartbeat is not called when alerts were not evaluated for two minutes', async () => {
  await lab.wait(119_999)
  await run()
  expect(server.received).toHaveLength(1)
  await lab.wait(1)
  await run()
  expect(server.received).toHaveLength(1)
  expect((await status()).error).toBe('Alerts are not evaluated.')
  await lab.pass(30_000)
  await run()
  expect([server.received.length, (await status()).error]).toEqual([2, ''])
})

it('a heartbeat that fails is reported without its path, and called again', async () => {
  server.answer = { status: 302, headers: { location: '/elsewhere' } }
  await run()
  const error = `127.0.0.1:${port} answered with status 302.`
  expect(await status()).toMatchObject({ error })
  expect(await doctor()).toBe(`warn: sent to 0 receivers; heartbeat to 127.0.0.1:${port}: heartbeat: ${error}`)
  server.answer = { status: 200 }
  await run()
  expect((await status()).error).toBe('')
  expect(server.received.map(({ path }) => path)).toEqual(['/ping/secret-id', '/ping/secret-id'])
})
