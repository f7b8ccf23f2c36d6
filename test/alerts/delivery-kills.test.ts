import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startReceivingServer } from '../support/alerts/receiving-server.js'
import type { ReceivingServer } from '../support/alerts/receiving-server.js'
import { addAlert, addCluster } from '../support/agents/fleet-rows.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { useDatabase } from '../support/database/database.js'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { restTransport } from '../support/http/transports.js'
import { killAt } from '../support/programs/failpoints.js'
import { useFolder } from '../support/programs/folder.js'
import { freePort } from '../support/programs/free-port.js'

const database = await useDatabase()
const dataDir = await useFolder('alert-kills')
let server: ReceivingServer
beforeAll(async () => {
  server = await startReceivingServer()
})
afterAll(() => server.stop())

/** It keeps its URL, which names its messages. */
const address = `127.0.0.1:${await freePort()}`
const start = (more: Readonly<Record<string, string>> = {}) =>
  startControlPlane({
    dataDir,
    env: { DATABASE_URL: database.url, ROOST_LISTEN: address, ROOST_ALERT_NETWORKS: '127.0.0.1', ...more },
  })

/** An alert whose message is due. */
async function addDueMessage(roost: ControlPlaneProcess): Promise<void> {
  const { prisma } = database
  await prisma.alertReceiver.deleteMany()
  const transport = restTransport(roost)
  const settings = { url: server.url }
  const made = await transport.create('alert_receivers', { name: 'r', kind: 'webhook', settings })
  await transport.close()
  const clusterId = await addCluster(database)
  const [receiverId, alertId] = [
    'record' in made ? Number(made.record?.['id']) : 0,
    await addAlert(database, clusterId),
  ]
  const of = { receiverId, clusterId, code: 'DEVICE_UNMOUNTED', state: 'waiting' }
  const times = { createdAt: new Date(), nextAt: new Date(), expiresAt: new Date(Date.now() + 86_400_000) }
  const notices = { create: [{ receiverId, alertId, severity: 'warning' }] }
  await prisma.alertDelivery.create({ data: { ...of, ...times, notices } })
}

const stateOf = async () => (await database.prisma.alertDelivery.findFirstOrThrow({ orderBy: { id: 'desc' } })).state
/** An attempt that was interrupted counts as lost after two minutes. */
const loseAttempt = () =>
  database.prisma.alertDelivery.updateMany({ where: { state: 'sending' }, data: { nextAt: new Date() } })

describe('a control plane that is killed', () => {
  it.each([
    ['before it sends a message', 'cp.alerts.beforeSend', 1],
    ['before it has recorded the answer', 'cp.alerts.afterSend', 2],
  ] as const)('%s sends it after its start', async (_when, point, times) => {
    server.received.length = 0
    const killed = await start(killAt(point))
    await addDueMessage(killed)
    await killed.died
    expect([await stateOf(), server.received.length]).toEqual(['sending', times - 1])
    await loseAttempt()
    const roost = await start()
    await vi.waitFor(async () => expect(await stateOf()).toBe('delivered'), waitTimeoutMs)
    await roost.stop()
    const copies = server.received.map(({ headers, body }) => [headers['idempotency-key'], body])
    expect(copies).toHaveLength(times)
    expect(copies.every((copy) => JSON.stringify(copy) === JSON.stringify(copies[0]))).toBe(true)
  })
})
