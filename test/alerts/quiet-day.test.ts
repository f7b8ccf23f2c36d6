import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Alert } from '@roost/api-types/rest'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startQuietFleet } from '../support/alerts/quiet-fleet.js'
import type { QuietFleet } from '../support/alerts/quiet-fleet.js'
import { simulateTime } from '../support/alerts/simulated-time.js'
import type { SimulatedTime } from '../support/alerts/simulated-time.js'
import { waitForJob } from '../support/gateway/deployment-lab.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'

const isLong = process.env.ROOST_TEST_LONG === '1'
const [secondMs, minuteMs, hourMs] = [1_000, 60_000, 3_600_000]
const begin = Date.parse('2026-11-22T00:00:00Z')
vi.setConfig({ testTimeout: 1_800_000 })

let api: TestApi
let fleet: QuietFleet
let time: SimulatedTime
/** Codes of alerts that were pending after a round. */
const pending = new Set<string>()

/** Without the disk of this machine, which may be in any state. */
const list = async (query: string) =>
  ((await api.get(`/api/v1/alerts/?${query}`)).body.objects as readonly Alert[]).filter(
    ({ code }) => code !== 'ROOST_DISK',
  )
const everFired = async () =>
  (await list('state__in=firing,unknown,resolved')).map(({ code, subject, state }) => `${code} ${subject} ${state}`)
const deliveries = async () => (await api.get('/api/v1/alert_deliveries/')).body.objects

beforeAll(async () => {
  time = simulateTime(begin)
  // Its levels are made by the clock of the machine, and would be late.
  api = await startApi({ ROOST_ALERT_NETWORKS: '127.0.0.0/8', ROOST_HISTORY: 'off' })
  fleet = await startQuietFleet(api, time, async () => {
    for (const { code } of await list('state=pending')) pending.add(code)
  })
  const receiver = { name: 'pager', kind: 'webhook', settings: { url: 'http://127.0.0.1:9/' } }
  await api.call('/api/v1/alert_receivers/', { method: 'POST', body: receiver })
  await backUp()
})
afterAll(async () => {
  fleet.stop()
  await api.stop()
  time.stop()
})

function backUp(): Promise<void> {
  const last = { path: '/var/lib/roost-backup/1.roost', created: new Date().toISOString() }
  return writeFile(join(api.controlPlane.dataDir, 'last-backup.json'), JSON.stringify(last))
}

/** The agents are upgraded, one after the other. */
async function upgradeAgents(version: string): Promise<void> {
  for (const node of [...fleet.storage, fleet.gateway]) {
    node.stop()
    await fleet.pass(30 * secondMs)
    await node.start(version)
    await fleet.pass(90 * secondMs)
  }
}

/** A ring is rebalanced, and copied to one node after the other. */
async function pushRings(version: number): Promise<void> {
  for (const node of fleet.storage) {
    await node.change({ ringVersion: version })
    await fleet.pass(3 * minuteMs)
  }
}

/** The packages of Swift are upgraded on one node after the other, and each boots with a new kernel. */
async function upgradeSwift(version: string): Promise<void> {
  for (const node of fleet.storage) {
    await node.change({ isInstalling: true })
    await fleet.pass(3 * minuteMs)
    await node.change({ isInstalling: false, swift: version })
    await fleet.pass(minuteMs)
    await boot(node)
    await fleet.pass(5 * minuteMs)
  }
}

async function boot(node: QuietFleet['gateway']): Promise<void> {
  node.stop()
  await fleet.pass(4 * minuteMs)
  await expect.poll(async () => (await api.get(node.uri)).body.state).toBe('offline')
  await node.change({ isMounting: true })
  await node.start()
  await fleet.pass(90 * secondMs)
  await node.change({ isMounting: false })
}

async function deployShares(name: string): Promise<void> {
  const body = { name, node: fleet.gateway.uri, objectstore_container: name, enabled: true }
  expect((await api.call('/api/v1/gateway_shares/', { method: 'POST', body })).status).toBe(201)
  const { body: job } = await api.call('/api/v1/gateway_deployments/', {
    method: 'POST',
    body: { node: fleet.gateway.uri },
  })
  expect((await waitForJob((path) => api.get(path), job)).state).toBe('COMPLETED_SUCCESS')
  expect((await api.get(fleet.gateway.uri)).body.config_state).toBe('synced')
}

/** All that operators do in about an hour. */
async function workOfOperators(round: number): Promise<void> {
  await upgradeAgents(`1.${round}.0`)
  await deployShares(`share-${round}`)
  await pushRings(1 + round)
  await fleet.pass(5 * minuteMs)
  await upgradeSwift(`2.31.${round}`)
}

it('a day of load, with upgrades, boots, new rings and deployments, begins no alert that fires', async () => {
  const endMs = begin + (isLong ? 24 : 1) * hourMs
  for (let round = 1; Date.now() < endMs; round++) {
    await workOfOperators(round)
    await backUp()
  }
  expect(await everFired()).toEqual([])
  expect(await deliveries()).toEqual([])
  // What operators did was noticed, and was over in time.
  expect([...pending].toSorted()).toEqual([
    'DAEMON_STOPPED',
    'DEVICE_UNMOUNTED',
    'RING_MISMATCH',
    'SWIFT_VERSION_DIFFERS',
  ])
})

it('a node that stops in it is one alert, which ends when the node is back', async () => {
  const [node] = fleet.storage
  node.stop()
  await fleet.pass(4.5 * minuteMs)
  expect(await everFired()).toEqual([])
  await fleet.pass(1.5 * minuteMs)
  expect(await everFired()).toEqual(['NODE_SILENT store-1 firing'])
  await node.start()
  await fleet.pass(2 * minuteMs)
  expect(await everFired()).toEqual(['NODE_SILENT store-1 resolved'])
  expect((await deliveries()).map(({ code }: { readonly code: string }) => code)).toEqual(['NODE_SILENT'])
})
