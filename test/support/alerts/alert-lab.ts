import type { Context } from '@roost/control-plane/dist/context/context.js'
import type { RunningServer } from '@roost/control-plane/dist/context/running-server.js'
import { readConfig } from '@roost/control-plane/dist/config.js'
import { createLog } from '@roost/control-plane/dist/lifecycle/log.js'
import { startServer } from '@roost/control-plane/dist/server.js'
import { afterAll, beforeAll, beforeEach, vi } from 'vitest'
import { addCluster, addDevice, addNode } from '../agents/fleet-rows.js'
import { startApi } from '../http/api.js'
import { controlPlaneEnv } from '../http/control-plane.js'
import type { TestApi } from '../http/api.js'

/** A round of the health. */
const roundMs = 30_000

/** A control plane whose clock stands, with one node in one cluster, `east`. */
export interface AlertLab {
  readonly api: TestApi
  /** As other programs reach it. */
  readonly publicUrl: string
  readonly cluster: number
  readonly node: number
  /** Lets time pass, with the rounds of the health, and what they lead to is sent. */
  pass(ms: number): Promise<void>
  /** Lets time pass without a round; what is due then is sent. */
  wait(ms: number): Promise<void>
  /** Adds devices that are not mounted. Their alerts fire after three minutes. */
  unmount(...names: readonly string[]): Promise<void>
  /** Mounts all devices, or that of the name. */
  mount(name?: string): Promise<void>
  addReceiver(fields: object): Promise<number>
  /** Ends the control plane, and starts it again later on the same data. */
  restart(pauseMs: number): Promise<void>
}

/** The labels of the alert of a device that `unmount` added. */
export const labelsOf = (subject: string) => ({
  alertname: 'DEVICE_UNMOUNTED',
  cluster: 'east',
  node: 'store-1',
  severity: 'warning',
  subject,
})

/** Leaves no alert, and of the fleet one node that is online. */
export async function renewFleet({ database }: TestApi): Promise<{ readonly cluster: number; readonly node: number }> {
  const { prisma } = database
  await prisma.alert.deleteMany()
  await prisma.device.deleteMany()
  await prisma.node.deleteMany()
  await prisma.cluster.deleteMany()
  const cluster = await addCluster(database, 'east')
  const node = await addNode(database, cluster, { hostname: 'store-1', state: 'online', lastSeen: new Date() })
  return { cluster, node }
}

/** Clears the fleet, the alerts and the receivers before each test. */
export function useAlertLab(
  env: Readonly<Record<string, string>> = {},
  begin: number = Date.parse('2026-11-22T10:00:00Z'),
): AlertLab {
  // Its levels are made by the clock of the machine, and would be late.
  const variables = { ROOST_ALERT_NETWORKS: '127.0.0.0/8', ROOST_HISTORY: 'off', ...env }
  let api: TestApi
  let context: Context
  let restarted: RunningServer | undefined
  let cluster = 0
  let node = 0
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: begin })
    api = await startApi(variables)
    ;({ context } = api)
  })
  afterAll(async () => {
    await restarted?.close()
    await api.stop()
    vi.useRealTimers()
  })
  const lab: AlertLab = {
    get api() {
      return api
    },
    get publicUrl() {
      return api.context.options.publicUrl()
    },
    get cluster() {
      return cluster
    },
    get node() {
      return node
    },
    async pass(ms) {
      for (let passed = 0; passed < ms; passed += roundMs) {
        vi.setSystemTime(Date.now() + Math.min(roundMs, ms - passed))
        await context.healthRounds.run()
        await lab.wait(0)
      }
    },
    async wait(ms) {
      vi.setSystemTime(Date.now() + ms)
      await context.alertDelivery.sender.run()
      await context.alertDelivery.alertmanagers.run()
    },
    async unmount(...names) {
      for (const name of names) await addDevice(api.database, cluster, node, { name, status: 'unmounted' })
    },
    async mount(name) {
      const where = name === undefined ? {} : { name }
      await api.database.prisma.device.updateMany({ where, data: { status: 'ok' } })
    },
    async addReceiver(fields) {
      const body = { name: `receiver-${Math.random()}`, ...fields }
      const answer = await api.call('/api/v1/alert_receivers/', { method: 'POST', body })
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.body.id
    },
    async restart(pauseMs) {
      const { dataDir, server } = api.controlPlane
      await (restarted ?? server).close()
      vi.setSystemTime(Date.now() + pauseMs)
      const all = { DATABASE_URL: api.database.url, ROOST_LOG_LEVEL: 'error', ...variables }
      restarted = await startServer(
        readConfig(controlPlaneEnv(dataDir, all)),
        createLog({ level: 'error', out: process.stderr }),
      )
      context = restarted.context
    },
  }
  beforeEach(async () => {
    await api.database.prisma.alertReceiver.deleteMany()
    ;({ cluster, node } = await renewFleet(api))
    // After an interruption nothing is concluded from silence for six heartbeats.
    await lab.pass(150_000)
  })
  return lab
}
