import { rm } from 'node:fs/promises'
import { createClient } from '@roost/api-types'
import type { Alert } from '@roost/api-types/rest'
import { readConfig } from '@roost/control-plane/dist/config.js'
import { createLog } from '@roost/control-plane/dist/lifecycle/log.js'
import { startServer } from '@roost/control-plane/dist/server.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { addDevice, addNode } from '../support/agents/fleet-rows.js'
import { renewFleet } from '../support/alerts/alert-lab.js'
import { controlPlaneEnv } from '../support/http/control-plane.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'

/** A round of the health. */
const roundMs = 30_000
const begin = Date.parse('2026-11-22T10:00:00Z')

let api: TestApi
let cluster: number
let node: number
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: begin })
  api = await startApi()
})
afterAll(async () => {
  await api.stop()
  vi.useRealTimers()
})
beforeEach(async () => {
  ;({ cluster, node } = await renewFleet(api))
  await settle()
})

/** Rounds of the health, half a minute apart. */
async function rounds(count: number, context = api.context): Promise<void> {
  for (let i = 0; i < count; i++) {
    vi.setSystemTime(Date.now() + roundMs)
    await context.healthRounds.run()
  }
}
/** After an interruption nothing is concluded from silence for six heartbeats. */
const settle = (context = api.context) => rounds(5, context)

const list = async (query = '') => (await api.get(`/api/v1/alerts/?${query}`)).body.objects as readonly Alert[]
const brief = async (query = '') => (await list(query)).map(({ code, subject, state }) => `${code} ${subject} ${state}`)
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
const change = (data: object, id = node) => api.database.prisma.node.update({ where: { id }, data })
const status = (id: number, name: string) =>
  api.database.prisma.device.update({ where: { id }, data: { status: name } })

describe('an alert', () => {
  it('is pending until the problem has lasted, fires once, and is resolved after two good rounds', async () => {
    const device = await addDevice(api.database, cluster, node, { name: 'd5', status: 'unmounted' })
    await rounds(1)
    const found = new Date().toISOString()
    await rounds(5)
    expect(await brief()).toEqual(['DEVICE_UNMOUNTED d5 pending'])
    await rounds(1)
    const [alert] = await list()
    const fired = new Date().toISOString()
    const about = {
      node: `/api/v1/nodes/${node}/`,
      device: `/api/v1/devices/${device}/`,
      cluster: `/api/v1/clusters/${cluster}/`,
    }
    const names = { problem: 'device_unmounted', hostname: 'store-1', subject: 'd5', value: null, threshold: null }
    const times = { started_at: found, fired_at: fired, changed_at: fired, resolved_at: null }
    expect(alert).toMatchObject({ ...about, ...names, ...times, severity: 'warning', acknowledged: false })
    await rounds(3)
    expect(await list()).toEqual([alert])

    await status(device, 'ok')
    await rounds(1)
    expect(await brief()).toEqual(['DEVICE_UNMOUNTED d5 firing'])
    await status(device, 'unmounted')
    await rounds(1)
    await status(device, 'ok')
    await rounds(1)
    expect(await brief()).toEqual(['DEVICE_UNMOUNTED d5 firing'])
    await rounds(1)
    expect(await list()).toEqual([])
    expect(await brief('state=resolved')).toEqual(['DEVICE_UNMOUNTED d5 resolved'])
  })

  it('leaves no trace of what ended before it fired', async () => {
    const device = await addDevice(api.database, cluster, node, { status: 'missing' })
    await rounds(3)
    await status(device, 'ok')
    await rounds(1)
    expect(await list('state__in=pending,firing,unknown,resolved')).toEqual([])
  })

  it('is unknown while its node is silent, which alone is reported, and goes on afterwards', async () => {
    await addDevice(api.database, cluster, node, { name: 'd5', status: 'unmounted' })
    await rounds(8)
    const [fired] = await list()
    await change({ state: 'offline', lastSeen: minutesAgo(5) })
    await rounds(1)
    expect(await brief('order_by=code')).toEqual(['DEVICE_UNMOUNTED d5 unknown', 'NODE_SILENT store-1 firing'])
    const [silence] = await list('code=NODE_SILENT')
    expect(silence).toMatchObject({ severity: 'warning', started_at: minutesAgo(5.5).toISOString() })
    await rounds(50)
    expect(await list('code=NODE_SILENT')).toMatchObject([{ id: silence?.id, severity: 'critical' }])
    await change({ state: 'online', lastSeen: new Date() })
    await rounds(2)
    expect(await list()).toMatchObject([{ id: fired?.id, state: 'firing', fired_at: fired?.fired_at }])
  })

  it('has the value that its check compared, and the limit', async () => {
    await change({ state: 'offline', lastSeen: minutesAgo(5) })
    await rounds(1)
    expect(await list()).toMatchObject([{ code: 'NODE_SILENT', value: 330, threshold: 300 }])
    await rounds(60)
    expect(await list()).toMatchObject([{ severity: 'critical', value: 2_130, threshold: 1_800 }])
  })

  it('has the value of its agent, and follows it as soon as it moves by a hundredth', async () => {
    const small = { code: 'cache_small', subject: '/c', message: 'It is small.', threshold: 1_024 }
    const valueAfter = async (value: number) => {
      await change({ problems: [{ ...small, value }] })
      await rounds(1)
      return (await list())[0]?.value
    }
    expect([await valueAfter(500), await valueAfter(496), await valueAfter(495)]).toEqual([500, 500, 495])
    expect(await list()).toMatchObject([{ code: 'CACHE_SMALL', threshold: 1_024 }])
    // With another limit it is written too.
    await change({ problems: [{ ...small, value: 494, threshold: 512 }] })
    await rounds(1)
    expect(await list()).toMatchObject([{ value: 494, threshold: 512 }])
    await change({ problems: [] })
    await rounds(2)
    expect(await list('state=resolved')).toMatchObject([{ value: 494, threshold: 512 }])
  })

  it('outlives its node, and is resolved when the node is removed', async () => {
    await addDevice(api.database, cluster, node, { name: 'd5', status: 'unmounted' })
    await rounds(8)
    await api.database.prisma.device.deleteMany({ where: { nodeId: node } })
    await api.database.prisma.node.delete({ where: { id: node } })
    await rounds(2)
    expect(await list('state=resolved')).toMatchObject([{ node: null, device: null, hostname: 'store-1' }])
  })
})

describe('a quarter of 1,000 nodes that vanish', () => {
  it('is one alert, not 250', async () => {
    const { prisma } = api.database
    const online = { clusterId: cluster, state: 'online', lastSeen: new Date() }
    await prisma.node.createMany({
      data: Array.from({ length: 999 }, (_, i) => ({
        ...online,
        hostname: `n${i}`,
        machineId: `m${i}`,
        bootId: 'b',
        publicKey: new Uint8Array(Buffer.from(`key of ${i}`.padEnd(32))),
      })),
    })
    await rounds(1)
    const last = Date.now()
    const nodes = await prisma.node.findMany({ where: { clusterId: cluster }, orderBy: { id: 'asc' } })
    const ids = nodes.slice(0, 250).map(({ id }) => id)
    for (const [i, half] of [ids.slice(0, 125), ids.slice(125)].entries())
      await prisma.node.updateMany({
        where: { id: { in: half } },
        data: { state: 'offline', lastSeen: new Date(last + i * 15_000) },
      })
    await rounds(20)
    expect(await brief()).toEqual(['CLUSTER_SILENT east firing'])
    expect((await list())[0]?.summary).toMatch(/^250 of 1000 nodes of east became silent within a minute, 10 minutes/)
    await prisma.node.updateMany({ data: { state: 'online', lastSeen: new Date() } })
    await rounds(2)
    expect(await list()).toEqual([])
  })
})

describe('what needs an operator', () => {
  const ranked = () => brief('needs_action=true&order_by=rank')

  it('is every alert that fires without an acknowledgement, the most urgent first', async () => {
    await addDevice(api.database, cluster, node, { name: 'd5', status: 'unmounted' })
    const stuck = { code: 'mount_stuck', subject: '/srv/node/d6', message: 'It has not answered for 3 s.' }
    const down = { code: 'server_down', subject: 'proxy', message: 'It is down. Start it.', remedy: 'Start it.' }
    await change({ problems: [stuck, down] })
    await rounds(1)
    expect(await ranked()).toEqual(['SERVER_DOWN proxy firing'])
    await rounds(10)
    expect(await ranked()).toEqual([
      'SERVER_DOWN proxy firing',
      'MOUNT_STUCK /srv/node/d6 firing',
      'DEVICE_UNMOUNTED d5 firing',
    ])
    const [first] = await list('needs_action=true&order_by=rank')
    const texts = { summary: 'It is down.', remedy: 'Start it.', doc: '/docs/alerts/SERVER_DOWN' }
    expect(first).toMatchObject({ ...texts, effect: 'Requests to this node fail or go to other nodes.', rank: 2 })
    await api.patch(first?.resource_uri ?? '', { acknowledged: true })
    expect(await ranked()).toEqual(['MOUNT_STUCK /srv/node/d6 firing', 'DEVICE_UNMOUNTED d5 firing'])
    expect(await brief('needs_action=false')).toEqual(['SERVER_DOWN proxy firing'])
  })

  it('is what an agent says in full, where it does not say what to do apart', async () => {
    await change({ problems: [{ code: 'disk_is_haunted', subject: 'd1', message: 'It moans. Call a priest.' }] })
    await rounds(1)
    const unknown = { effect: '', remedy: '', summary: 'It moans. Call a priest.', severity: 'warning' }
    expect(await list()).toMatchObject([{ code: 'DISK_IS_HAUNTED', ...unknown }])
  })
})

describe('operators and programs', () => {
  beforeEach(async () => {
    await addDevice(api.database, cluster, node, { name: 'd5', status: 'unmounted' })
    await rounds(8)
  })

  it('acknowledge an alert, which the audit has', async () => {
    const [alert] = await list()
    const uri = alert?.resource_uri ?? ''
    const { status: code, body } = await api.patch(uri, { acknowledged: true })
    expect([code, body.acknowledged, body.acknowledged_by]).toEqual([202, true, 'admin'])
    expect(await list('acknowledged=true')).toEqual([body])
    const audit = await api.get('/api/v1/audit_events/?resource=alerts&order_by=-id&limit=1')
    expect(audit.body.objects).toMatchObject([{ action: 'change', changes: { acknowledged: [false, true] } }])
    expect((await api.patch(uri, { acknowledged: false })).body.acknowledged_by).toBe('')
    await api.database.prisma.device.updateMany({ data: { status: 'ok' } })
    await rounds(2)
    expect((await api.patch(uri, { acknowledged: true })).status).toBe(409)
  })

  it('read them from /metrics and a subscription', async () => {
    const line = 'roost_alert{code="DEVICE_UNMOUNTED",severity="warning",cluster="east",node="store-1",subject="d5"'
    expect((await api.get('/metrics')).text).toContain(line)
    const { rpc, close } = createClient({ url: api.url, ca: api.ca, apiKey: api.key })
    const seen: string[] = []
    const subscription = rpc.alerts.watch.subscribe(undefined, {
      onData: (alerts) => seen.push(...alerts.map(({ code, state }) => `${code} ${state}`)),
    })
    await vi.waitFor(() => expect(seen).toContain('DEVICE_UNMOUNTED firing'), 10_000)
    await api.database.prisma.device.updateMany({ data: { status: 'ok' } })
    await rounds(2)
    await vi.waitFor(() => expect(seen).toContain('DEVICE_UNMOUNTED resolved'), 10_000)
    subscription.unsubscribe()
    await close()
    expect((await api.get('/metrics')).text).not.toContain(line)
  })
})

describe('a restart', () => {
  it('repeats no alert and counts none again, and concludes nothing from silence at first', async () => {
    await addDevice(api.database, cluster, node, { name: 'd5', status: 'unmounted' })
    await rounds(4)
    const [pending] = await list()
    const { database } = api
    const other = await addNode(database, cluster, { state: 'offline', lastSeen: minutesAgo(60) })
    const { dataDir, server } = api.controlPlane
    await server.close()
    vi.setSystemTime(Date.now() + 3_600_000)
    const env = controlPlaneEnv(dataDir, { DATABASE_URL: database.url, ROOST_LOG_LEVEL: 'error' })
    const restarted = await startServer(readConfig(env), createLog({ level: 'error', out: process.stderr }))
    const stored = () => database.prisma.alert.findMany({ orderBy: { id: 'asc' } })
    await rounds(1, restarted.context)
    expect(await stored()).toMatchObject([{ id: pending?.id, state: 'firing' }])
    await settle(restarted.context)
    expect(await stored()).toMatchObject([{ id: pending?.id }, { code: 'NODE_SILENT', nodeId: other }])
    await restarted.close()
    await rm(dataDir, { recursive: true })
    await database.drop()
    api = await startApi()
  })
})
