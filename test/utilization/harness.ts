import { buildUtilization } from '@roost/control-plane/dist/context/utilization.js'
import type { UtilizationFeature } from '@roost/control-plane/dist/context/utilization.js'
import { createIdempotencyStore } from '@roost/control-plane/dist/database/idempotency.js'
import { createAuditStore } from '@roost/control-plane/dist/database/transaction.js'
import { createWrites } from '@roost/control-plane/dist/database/writes.js'
import { createUsageRemoval } from '@roost/control-plane/dist/utilization/removal.js'
import { createUsageRemovalStore } from '@roost/control-plane/dist/utilization/removal-store.js'
import type { UsageRemovalService } from '@roost/api-types/rpc'
import { createLog } from '@roost/control-plane/dist/lifecycle/log.js'
import { afterAll, beforeAll } from 'vitest'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'

export interface UsageHarness {
  readonly database: TestDatabase
  readonly usage: UtilizationFeature
  readonly removal: UsageRemovalService
  /** Unix milliseconds; set it to move the time. */
  now: number
}

/** The feature by itself on a real database, at a time of the test's own. */
export function useUsage(now: string, retentionDays = 397): UsageHarness {
  const harness = { now: Date.parse(now) } as UsageHarness & {
    database: TestDatabase
    usage: UtilizationFeature
    removal: UsageRemovalService
  }
  beforeAll(async () => {
    harness.database = await createTestDatabase()
    const options = {
      config: {
        listen: { host: '127.0.0.1', port: 0 },
        tls: { mode: 'off' } as const,
        publicUrl: null,
        proxies: [],
        dataDir: '',
        usageRetentionDays: retentionDays,
        auditRetentionDays: 400,
        jobRetentionDays: 90,
        idempotencyRetentionHours: 24,
        deploymentTimeoutMs: 600_000,
        alertNetworks: [],
        heartbeatUrl: null,
        backupCopy: null,
        history: { isOn: false, rawHours: 48, fiveMinutesDays: 60, hourDays: 800, maxGigabytes: 20 },
        remoteWrite: null,
        databaseUrl: null,
      },
      database: { connection: harness.database.connection },
      log: createLog({ level: 'silent', out: process.stderr }),
      now: () => harness.now,
      publicUrl: () => '',
      trustedCas: () => [],
      certificates: () => [],
      areCertificatesOwn: () => false,
      refusedStarts: { sinceMs: 0, latest: () => null },
      caSha256: () => null,
      certificate: () => null,
      serverPin: () => null,
    }
    harness.usage = buildUtilization(harness.database, options, async () => {})
    const idempotency = createIdempotencyStore(harness.database, options.now)
    const writes = createWrites({ store: createAuditStore(harness.database), idempotency })
    harness.removal = createUsageRemoval({ store: createUsageRemovalStore(), writes, now: options.now })
  })
  afterAll(async () => {
    await harness.usage.stop()
    await harness.database.drop()
  })
  return harness
}
