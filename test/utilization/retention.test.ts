import { createUsageRetentionStore } from '@roost/control-plane/dist/utilization/retention-store.js'
import { createUsageRetention } from '@roost/control-plane/dist/utilization/retention.js'
import { expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addProxy, storageOf, transferOf, usageMessage } from '../support/database/usage-rows.js'
import { useUsage } from './harness.js'

const days = 397
const harness = useUsage('2026-06-01T12:00:00Z', days)
const daysAgo = (count: number) => harness.now - count * 86_400_000
const message = { storage: [storageOf('AUTH_a', 1)], transfer: [transferOf('AUTH_a', 1)], log_read: 1 }

const rows = async () => {
  const { prisma } = harness.database
  return [await prisma.storageUsage.count(), await prisma.transferUsage.count(), await prisma.logCoverage.count()]
}

it('usage is removed after 13 months; older reports are accepted and not stored', async () => {
  const node = await addProxy(harness.database, await addCluster(harness.database))
  for (const age of [days - 1, days, 0.5]) await harness.usage.intake.accept(node, usageMessage(daysAgo(age), message))
  expect(await rows()).toEqual([3, 3, 3])
  await harness.usage.intake.accept(node, usageMessage(daysAgo(days + 1), message))
  expect(await rows()).toEqual([3, 3, 3])

  const store = createUsageRetentionStore(harness.database)
  const retention = createUsageRetention({ store, days, now: () => harness.now })
  await retention.prune()
  expect(await rows()).toEqual([3, 3, 3])
  harness.now += 1_800_000
  await retention.prune()
  expect(await rows()).toEqual([2, 2, 2])
})
