import { createRetentionStore } from '@roost/control-plane/dist/jobs/retention-store.js'
import { createRetention } from '@roost/control-plane/dist/jobs/retention.js'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { addAlert, addAlertDelivery, addCluster, addDevice, addNode } from '../support/agents/fleet-rows.js'

const now = Date.parse('2026-06-01T12:00:00Z')
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const keptMs = {
  auditEvents: 400 * dayMs,
  finishedJobs: 90 * dayMs,
  idempotencyKeys: 24 * hourMs,
  resolvedAlerts: 400 * dayMs,
  endedSilences: 30 * dayMs,
  alertDeliveries: 30 * dayMs,
  capacityDays: 800 * dayMs,
}

let database: TestDatabase
let cluster: number
let node: number
beforeAll(async () => {
  database = await createTestDatabase()
  cluster = await addCluster(database)
  node = await addNode(database, cluster)
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.prisma.auditEvent.deleteMany()
  await database.prisma.job.deleteMany()
  await database.prisma.agentUpgrade.deleteMany()
  await database.prisma.idempotencyKey.deleteMany()
})

const retentionAt = (time: number) =>
  createRetention({ store: createRetentionStore(database), keptMs, now: () => time })
const ago = (ms: number) => new Date(now - ms)

const event = (at: Date) => ({
  at,
  operator: 'alice',
  address: '',
  requestId: '',
  action: 'create',
  resource: 'users',
  changes: {},
})
const addJob = (state: string, finishedAt: Date | null) =>
  database.prisma.job.create({
    data: {
      kind: 'gateway',
      clusterId: cluster,
      state,
      finishedAt,
      createdAt: ago(1000 * dayMs),
      targets: { create: { nodeId: node, state: 'applied' } },
    },
  })

const addUpgrade = (target: string, finishedAt: Date | null) =>
  database.prisma.agentUpgrade.create({
    data: {
      clusterId: cluster,
      version: '1.1.0',
      canary: 1,
      wavePercent: 10,
      state: finishedAt === null ? 'IN_PROGRESS' : 'COMPLETED_SUCCESS',
      finishedAt,
      targets: { create: { nodeId: node, wave: 1, state: target, fromVersion: '1.0.0' } },
    },
  })

describe('what goes by its age', () => {
  it('is the audit of more than its days, and not a moment earlier', async () => {
    const { prisma } = database
    await prisma.auditEvent.createMany({ data: [keptMs.auditEvents, keptMs.auditEvents - 1, 0].map(ago).map(event) })
    await retentionAt(now).auditEvents()
    expect(await prisma.auditEvent.count()).toBe(3)
    await retentionAt(now + 1).auditEvents()
    expect((await prisma.auditEvent.findMany({ orderBy: { at: 'asc' } })).map(({ at }) => now - at.getTime())).toEqual([
      keptMs.auditEvents - 1,
      0,
    ])
  })

  it('is an upgrade of agents by the time of its end, unless a node still has to get it', async () => {
    const { prisma } = database
    await addUpgrade('installed', ago(keptMs.finishedJobs + 1))
    const old = await addUpgrade('offline', ago(keptMs.finishedJobs + 1))
    const kept = [old, await addUpgrade('installed', ago(keptMs.finishedJobs)), await addUpgrade('upgrading', null)]
    await retentionAt(now).finishedJobs()
    const ids = kept.map(({ id }) => id)
    expect((await prisma.agentUpgrade.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id)).toEqual(ids)
    const targets = await prisma.agentUpgradeTarget.findMany({ orderBy: { upgradeId: 'asc' } })
    expect(targets.map(({ upgradeId }) => upgradeId)).toEqual(ids)
  })

  it('is an alert by the time of its end, and never one that still fires', async () => {
    const resolved = (ms: number) =>
      addAlert(database, cluster, { openKey: null, state: 'resolved', resolvedAt: ago(ms) })
    await resolved(keptMs.resolvedAlerts + 1)
    const kept = [await resolved(keptMs.resolvedAlerts), await addAlert(database, cluster)]
    await retentionAt(now).resolvedAlerts()
    const found = await database.prisma.alert.findMany({ orderBy: { id: 'asc' } })
    expect(found.map(({ id }) => id)).toEqual(kept)
  })

  it('is a silence by the time of its end, and never one that lasts', async () => {
    const silence = async (endsAt: Date) => {
      const data = { code: 'DEVICE_UNMOUNTED', startsAt: ago(90 * dayMs), endsAt, operator: 'admin' }
      return (await database.prisma.alertSilence.create({ data })).id
    }
    await silence(ago(keptMs.endedSilences + 1))
    const kept = [await silence(ago(keptMs.endedSilences)), await silence(ago(-hourMs))]
    await retentionAt(now).endedSilences()
    const found = await database.prisma.alertSilence.findMany({ orderBy: { id: 'asc' } })
    expect(found.map(({ id }) => id)).toEqual(kept)
  })

  it('is a message about an alert by the time of its end, and never one that waits', async () => {
    const message = (endedAt: Date | null) => addAlertDelivery(database, cluster, { endedAt })
    await message(ago(keptMs.alertDeliveries + 1))
    const kept = [await message(ago(keptMs.alertDeliveries)), await message(null)]
    await retentionAt(now).alertDeliveries()
    const found = await database.prisma.alertDelivery.findMany({ orderBy: { id: 'asc' } })
    expect(found.map(({ id }) => id)).toEqual(kept)
  })

  it('is a job by the time of its end, its targets with it, and never one that still runs', async () => {
    const { prisma } = database
    await addJob('COMPLETED_SUCCESS', ago(keptMs.finishedJobs + 1))
    await addJob('COMPLETED_FAILED', ago(keptMs.finishedJobs + 1))
    const kept = [await addJob('COMPLETED_SUCCESS', ago(keptMs.finishedJobs)), await addJob('IN_PROGRESS', null)]
    await retentionAt(now).finishedJobs()
    const ids = kept.map(({ id }) => id)
    expect((await prisma.job.findMany({ orderBy: { id: 'asc' } })).map(({ id }) => id)).toEqual(ids)
    expect((await prisma.jobTarget.findMany({ orderBy: { jobId: 'asc' } })).map(({ jobId }) => jobId)).toEqual(ids)
  })

  it('removes answers to an Idempotency-Key after its hours', async () => {
    const { prisma } = database
    const key = (name: string, createdAt: Date) => ({
      operatorId: 1,
      path: '/api/v1/users/',
      key: name,
      bodyMac: new Uint8Array(32),
      response: {},
      createdAt,
    })
    await prisma.idempotencyKey.createMany({
      data: [key('old', ago(keptMs.idempotencyKeys + 1)), key('young', ago(keptMs.idempotencyKeys - 1))],
    })
    await retentionAt(now).idempotencyKeys()
    expect((await prisma.idempotencyKey.findMany()).map(({ key: name }) => name)).toEqual(['young'])
  })

  it('removes the days of capacity by their date', async () => {
    const { prisma } = database
    const device = await addDevice(database, cluster, node)
    const days = ['2024-03-22', '2024-03-23'].map((day) => ({ day: new Date(day), rawBytes: 2n, usedBytes: 1n }))
    await prisma.deviceDay.createMany({ data: days.map((one) => ({ ...one, deviceId: device })) })
    const set = { clusterId: cluster, policySet: '0', freeBytes: 1n, fullestPct: 50, pct95: 50 }
    await prisma.capacityDay.createMany({ data: days.map((one) => ({ ...one, ...set })) })
    await retentionAt(now).capacityDays()
    const kept = [{ day: new Date('2024-03-23') }]
    expect(await prisma.deviceDay.findMany({ select: { day: true } })).toEqual(kept)
    expect(await prisma.capacityDay.findMany({ select: { day: true } })).toEqual(kept)
  })

  it('goes in one run although it is more than one statement removes', async () => {
    await database.prisma.$executeRaw`
      insert into audit_events (at, operator, address, request_id, action, resource, changes)
      select ${ago(keptMs.auditEvents + 1)}, '', '', '', '', '', '{}' from generate_series(1, 25000)`
    await database.prisma.$executeRaw`
      insert into jobs (kind, cluster_id, state, finished_at)
      select 'gateway', ${cluster}, 'COMPLETED_SUCCESS', ${ago(keptMs.finishedJobs + 1)} from generate_series(1, 250)`
    await retentionAt(now).auditEvents()
    await retentionAt(now).finishedJobs()
    expect([await database.prisma.auditEvent.count(), await database.prisma.job.count()]).toEqual([0, 0])
  })

  it('is removed in steps: one statement removes at most the given number', async () => {
    await database.prisma.auditEvent.createMany({ data: Array.from({ length: 5 }, () => event(ago(0))) })
    expect(await createRetentionStore(database).auditEvents(new Date(now + 1), 3)).toBe(3)
    expect(await database.prisma.auditEvent.count()).toBe(2)
  })
})
