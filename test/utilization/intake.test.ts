import { createLog } from '@roost/control-plane/dist/lifecycle/log.js'
import { createUsageIntake } from '@roost/control-plane/dist/utilization/intake.js'
import { createUsageIntakeStore } from '@roost/control-plane/dist/utilization/intake-store.js'
import { describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { testCaller } from '../support/agents/enrollment.js'
import { addProxy, storageOf, transferOf, usageMessage } from '../support/database/usage-rows.js'
import { useUsage } from './harness.js'

const harness = useUsage('2026-06-01T12:00:00Z')
const start = '2026-06-01T11:00:00Z'
const range = { start, end: '2026-06-01T12:00:00Z' }

async function cluster() {
  const clusterId = await addCluster(harness.database)
  const [one, two] = [await addProxy(harness.database, clusterId), await addProxy(harness.database, clusterId)]
  const report = (node: number, ...message: Parameters<typeof usageMessage>) =>
    harness.usage.intake.accept(node, usageMessage(...message))
  const { storage, transfer } = harness.usage.service
  return {
    clusterId,
    one,
    two,
    report,
    storageOf: async (account: string) =>
      (await storage.ofAccount({ clusterId, policyIdx: 0 }, account, range)).objects[0],
    transferOf: async (account: string) => (await transfer.ofAccount({ clusterId }, account, range)).objects[0],
    audits: () =>
      harness.database.prisma.auditEvent.findMany({
        where: { action: 'late_usage', resource: 'clusters', resourceId: clusterId },
      }),
  }
}

describe('usage that is reported', () => {
  it('twice counts once', async () => {
    const { one, report, transferOf: read } = await cluster()
    const message = { transfer: [transferOf('AUTH_a', 10, 20, 3)], log_read: 1 }
    for (let i = 0; i < 3; i++) await report(one, start, message)
    expect(await read('AUTH_a')).toMatchObject({ bytes_in: 10, bytes_out: 20, req_count: 3, pct_complete: 50 })
  })

  it('again with larger values replaces earlier values, in any order', async () => {
    const { one, report, transferOf: read } = await cluster()
    await report(one, start, { transfer: [transferOf('AUTH_a', 30)], log_read: 1 })
    await report(one, start, { transfer: [transferOf('AUTH_a', 10)], log_read: 0.5 })
    expect(await read('AUTH_a')).toMatchObject({ bytes_in: 30, pct_complete: 50 })
  })

  it('by two proxies adds up', async () => {
    const { one, two, report, transferOf: read } = await cluster()
    await report(one, start, { transfer: [transferOf('AUTH_a', 30)], log_read: 1 })
    await report(two, start, { transfer: [transferOf('AUTH_a', 5)], log_read: 1 })
    expect(await read('AUTH_a')).toMatchObject({ bytes_in: 35, pct_complete: 50 })
  })

  it('of an account by the nodes of its replicas is the second highest, with the samples of all of them', async () => {
    const { one, two, report, storageOf: read } = await cluster()
    await report(one, start, { storage: [storageOf('AUTH_a', 100, { object_count: 1, slots: 1 })] })
    await report(two, start, { storage: [storageOf('AUTH_a', 90, { object_count: 4, slots: 2 })] })
    expect(await read('AUTH_a')).toMatchObject({
      bytes_used: 90,
      object_count: 1,
      verified: true,
      pct_complete: expect.closeTo((100 * 2) / 6, 9),
    })
  })

  it('of an account by one node alone cannot be raised by it, once another node reports the account', async () => {
    const { one, two, clusterId, report, storageOf: read } = await cluster()
    const three = await addProxy(harness.database, clusterId)
    await report(one, start, { storage: [storageOf('AUTH_a', 2 ** 50)] })
    expect(await read('AUTH_a')).toMatchObject({ bytes_used: 2 ** 50, verified: false })
    await report(two, start, { storage: [storageOf('AUTH_a', 100)] })
    await report(three, start, { storage: [storageOf('AUTH_a', 98)] })
    expect(await read('AUTH_a')).toMatchObject({ bytes_used: 100, verified: true })
    const { rows } = await harness.removal.remove({ node: two, ...range }, testCaller)
    expect(rows).toBe(1)
    expect(await read('AUTH_a')).toMatchObject({ bytes_used: 98, verified: true })
    const audited = { action: 'remove_usage', resource: 'nodes', resourceId: two }
    expect(await harness.database.prisma.auditEvent.findMany({ where: audited })).toMatchObject([
      { changes: { from: [null, '2026-06-01 11:00:00Z'], to: [null, '2026-06-01 12:00:00Z'], rows: [1, 0] } },
    ])
  })

  it('is refused, except for what its node may report', async () => {
    const { one, report, storageOf: read, transferOf: readTransfer } = await cluster()
    const message = {
      storage: [storageOf('AUTH_a', 1), storageOf('AUTH_a', 2, { policy: 9 })],
      transfer: [transferOf('AUTH_a', 30)],
      log_read: 1,
    }
    await expect(report(one, start, message)).rejects.toThrow('The cluster has no storage policy 9.')
    expect([await read('AUTH_a'), await readTransfer('AUTH_a')]).toMatchObject([{ bytes_used: 1 }, { bytes_in: 30 }])
    const { node } = harness.database.prisma
    await node.update({ where: { id: one }, data: { rolesGranted: [], inAccountRing: false } })
    const later = '2026-06-01T11:30:00Z'
    await expect(report(one, later, { storage: [storageOf('AUTH_b', 1)] })).rejects.toThrow('no device in the account')
    for (const part of [{ transfer: message.transfer }, { log_read: 1 }])
      await expect(report(one, later, part)).rejects.toThrow('No operator has approved this node as a proxy')
    expect(await read('AUTH_b')).toBeUndefined()
    expect(await readTransfer('AUTH_a')).toMatchObject({ bytes_in: 30 })
  })

  it('names a limited number of new accounts a day and node, also after a restart', async () => {
    const { one, two } = await cluster()
    const intakeOfNewProcess = () =>
      createUsageIntake({
        store: createUsageIntakeStore(harness.database),
        oldestKept: () => 0,
        log: createLog({ level: 'silent', out: process.stderr }),
        now: () => harness.now,
        newAccountsPerDay: 3,
      })
    const report = (node: number, ...names: readonly string[]) =>
      intakeOfNewProcess().accept(node, usageMessage(start, { storage: names.map((name) => storageOf(name, 1)) }))
    await report(one, 'AUTH_1', 'AUTH_2')
    await expect(report(one, 'AUTH_3', 'AUTH_4')).rejects.toThrow('at most 3 new accounts a day')
    await report(one, 'AUTH_1', 'AUTH_2', 'AUTH_3')
    await expect(report(one, 'AUTH_4')).rejects.toThrow('at most 3 new accounts a day')
    await report(two, 'AUTH_4')
    await report(one, 'AUTH_4')
    harness.now += 86_400_000
    await report(one, 'AUTH_5', 'AUTH_6', 'AUTH_7').finally(() => (harness.now -= 86_400_000))
  })

  it('names an account twice in one message counts as two reports', async () => {
    const { one, report, storageOf: read } = await cluster()
    await report(one, start, { storage: [storageOf('AUTH_a', 1, { slots: 1 }), storageOf('AUTH_a', 2, { slots: 4 })] })
    expect(await read('AUTH_a')).toMatchObject({ bytes_used: 2, pct_complete: expect.closeTo((100 * 2) / 6, 9) })
  })

  it('by many nodes at once about the same accounts ends without a deadlock', async () => {
    const { one, two, report, storageOf: read } = await cluster()
    const accounts = Array.from({ length: 500 }, (_, i) => `AUTH_${i}`)
    const rows = (bytes: number) => accounts.map((account) => storageOf(account, bytes))
    const reports = Array.from({ length: 20 }, (_, i) =>
      report(i % 2 === 0 ? one : two, start, { storage: i % 3 === 0 ? rows(i) : rows(i).toReversed() }),
    )
    await Promise.all(reports)
    expect(await read('AUTH_499')).toMatchObject({ bytes_used: 18 })
  })

  it('of a half-hour that begins in more than an hour is refused, with what to do', async () => {
    const { one, report } = await cluster()
    await report(one, '2026-06-01T13:00:00Z', {})
    await expect(report(one, '2026-06-01T13:30:00Z', {})).rejects.toThrow(/clock/)
  })

  it('with a row that the database refuses is stored without that row', async () => {
    const { one, report, storageOf: storage, transferOf: transfer } = await cluster()
    const rows = Array.from({ length: 50 }, (_, i) => storageOf(`AUTH_${i}`, i))
    const poison = [storageOf('AUTH_\0', 1), storageOf('AUTH_x', 1, { slots: 2 ** 20 })]
    await report(one, start, {
      storage: rows.toSpliced(20, 0, ...poison),
      transfer: [transferOf('AUTH_a', 30), transferOf('AUTH_\0', 1)],
      log_read: 1,
    })
    for (const i of [0, 19, 20, 49]) expect(await storage(`AUTH_${i}`)).toMatchObject({ bytes_used: i })
    expect(await transfer('AUTH_a')).toMatchObject({ bytes_in: 30, pct_complete: 50 })
  })

  it('by a node that was removed is refused, and its earlier reports stay', async () => {
    const { one, report, transferOf: read } = await cluster()
    await report(one, start, { transfer: [transferOf('AUTH_a', 30)], log_read: 1 })
    await harness.database.prisma.node.delete({ where: { id: one } })
    await expect(report(one, start, { transfer: [transferOf('AUTH_a', 40)] })).rejects.toThrow(/removed/)
    expect(await read('AUTH_a')).toMatchObject({ bytes_in: 30 })
  })
})

describe('how complete transfer is', () => {
  it('falls while a proxy that reported before is silent, until it is no longer a proxy', async () => {
    const { one, two, report, transferOf: read } = await cluster()
    for (const node of [one, two]) await report(node, '2026-06-01T10:30:00Z', { log_read: 1 })
    for (const half of [start, '2026-06-01T11:30:00Z'])
      await report(one, half, { transfer: [transferOf('AUTH_a', 1)], log_read: 1 })
    expect(await read('AUTH_a')).toMatchObject({ pct_complete: 50 })
    await harness.database.prisma.nodeRole.updateMany({ where: { nodeId: two }, data: { runsProxy: false } })
    expect(await read('AUTH_a')).toMatchObject({ pct_complete: 100 })
  })
})

describe('a half-hour that is closed', () => {
  it('changes only by a late report, which is audited', async () => {
    const { one, report, audits, storageOf: read } = await cluster()
    const early = '2026-06-01T09:00:00Z'
    await report(one, start, { storage: [storageOf('AUTH_a', 1)] })
    expect(await audits()).toEqual([])
    await report(one, early, { storage: [storageOf('AUTH_a', 5)], transfer: [transferOf('AUTH_a', 1)], log_read: 1 })
    expect(await audits()).toMatchObject([
      {
        operator: expect.stringMatching(/^agent [0-9a-f-]{36}$/),
        changes: {
          half_hour: [null, '2026-06-01T09:00:00.000Z'],
          node: [null, one],
          storage_rows: [null, 1],
          transfer_rows: [null, 1],
          log_rows: [null, 1],
        },
      },
    ])
    expect(await read('AUTH_a')).toMatchObject({ bytes_used: 1 })
  })

  it('is not changed or audited by a repeated report', async () => {
    const { one, report, audits } = await cluster()
    const message = { storage: [storageOf('AUTH_a', 5)], log_read: 0.5 }
    for (let i = 0; i < 3; i++) await report(one, '2026-06-01T09:00:00Z', message)
    await report(one, '2026-06-01T09:00:00Z', { storage: [storageOf('AUTH_a', 4)] })
    expect(await audits()).toHaveLength(1)
  })
})
