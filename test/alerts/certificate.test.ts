import { X509Certificate } from 'node:crypto'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Alert } from '@roost/api-types/rest'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { simulateTime } from '../support/alerts/simulated-time.js'
import type { SimulatedTime } from '../support/alerts/simulated-time.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { startInProcess } from '../support/http/control-plane.js'
import type { InProcessControlPlane } from '../support/http/control-plane.js'
import { request } from '../support/http/request.js'
import { makeCertificates } from '../support/keystone/certificates.js'

const [secondMs, minuteMs, dayMs] = [1_000, 60_000, 86_400_000]

let folder: string
let ca: string
let endMs: number
let time: SimulatedTime
let database: TestDatabase
let roost: InProcessControlPlane
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-certificate-'))
  const made = await makeCertificates(folder)
  ca = made.ca
  endMs = Date.parse(new X509Certificate(await readFile(made.certificate)).validTo)
  time = simulateTime(endMs - 21 * dayMs - minuteMs)
  database = await createTestDatabase()
  const files = { ROOST_TLS: 'files', ROOST_TLS_CERT: made.certificate, ROOST_TLS_KEY: made.key }
  roost = await startInProcess(database.url, { ROOST_HISTORY: 'off', ...files })
})
afterAll(async () => {
  await roost.stop()
  await database.drop()
  time.stop()
  await rm(folder, { recursive: true })
})

const round = () => roost.server.context.healthRounds.run()
async function alerts(query = ''): Promise<readonly Alert[]> {
  const { status, body } = await request({ ...roost, ca }, `/api/v1/alerts/?code=CERTIFICATE_ENDS&${query}`)
  expect(status).toBe(200)
  return (body as { readonly objects: readonly Alert[] }).objects
}

it('a certificate is an alert 21 days before its end, a critical one 3 days before, until another one is installed', async () => {
  await round()
  expect(await alerts()).toEqual([])
  await time.pass(minuteMs)
  await round()
  expect(await alerts()).toMatchObject([
    { state: 'firing', severity: 'warning', subject: 'server', value: (21 * dayMs) / secondMs, cluster: null },
  ])
  vi.setSystemTime(endMs - 3 * dayMs - minuteMs)
  await round()
  expect(await alerts()).toMatchObject([{ severity: 'warning' }])
  await time.pass(minuteMs)
  await round()
  expect(await alerts()).toMatchObject([{ severity: 'critical', threshold: (3 * dayMs) / secondMs }])

  const renewed = await makeCertificates(await mkdtemp(join(folder, 'renewed-')), 90)
  await copyFile(renewed.key, join(folder, 'server.key'))
  await copyFile(renewed.certificate, join(folder, 'server.pem'))
  ca = renewed.ca
  await time.pass(minuteMs)
  const installed = await readFile(renewed.certificate, 'utf8')
  await expect.poll(() => roost.server.context.options.certificate()).toBe(installed)
  await round()
  await round()
  expect([await alerts(), await alerts('state=resolved')]).toMatchObject([[], [{ subject: 'server' }]])
})
