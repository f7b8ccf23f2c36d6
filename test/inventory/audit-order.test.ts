import { createEnrollmentStore } from '@roost/control-plane/dist/nodes/enrollment-store.js'
import { createFleetStore } from '@roost/control-plane/dist/nodes/fleet-store.js'
import { createUsageIntakeStore } from '@roost/control-plane/dist/utilization/intake-store.js'
import { newAccountLimit } from '@roost/control-plane/dist/utilization/new-accounts.js'
import { advisoryLockSpaces } from '@roost/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addProxy, transferOf } from '../support/database/usage-rows.js'

let database: TestDatabase
let clusterId = 0
let nodeId = 0
beforeAll(async () => {
  database = await createTestDatabase()
  clusterId = await addCluster(database)
  nodeId = await addProxy(database, clusterId)
})
afterAll(() => database.drop())

/** What agents cause, each of which leaves one audit event. */
const writers: Readonly<Record<string, () => Promise<unknown>>> = {
  'an agent that was refused': () =>
    createFleetStore(database).record({ action: 'refuse', nodeId, actor: 'agent x', address: '::1', details: {} }),
  'usage that arrives late': () =>
    createUsageIntakeStore(database).merge(
      { nodeId, halfHour: 1, storage: [], transfer: [transferOf('AUTH_late', 1)], logRead: 1, isLate: true },
      newAccountLimit(Date.now()),
    ),
  'an enrollment': async () => {
    const digest = new Uint8Array(32).fill(7)
    const expiresAt = new Date(Date.now() + 3_600_000)
    await database.prisma.enrollmentToken.create({ data: { digest, clusterId, usesLeft: 1, expiresAt } })
    await createEnrollmentStore(database).withToken(digest, async (token, verbs) => {
      if (token === undefined) throw new Error('The token is not there.')
      const hardware = { system_uuid: null, disk_serials: [], macs: [], filesystem_uuids: [] }
      const slot = { publicKey: new Uint8Array(32).fill(9), hostname: 'new', machineId: 'm', bootId: 'b', hardware }
      await verbs.insertNode({ ...slot, agentVersion: '1', address: '::1' }, token)
    })
  },
}

describe('the audit', () => {
  it.each(Object.keys(writers))('shows %s only after the events with lower ids', async (name) => {
    const earlier = await database.pool.connect()
    try {
      await earlier.query('begin')
      const { rows } = await earlier.query<{ id: number }>(`
        with held as materialized (select pg_advisory_xact_lock(${advisoryLockSpaces.inserts}::int, hashtext('audit_events')))
        insert into audit_events (operator, address, request_id, action, resource, changes)
        select 'bob', '', '', 'create', 'users', '{}' from held returning id`)
      const writing = writers[name]?.()
      const waiting = `select count(*)::int as count from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`
      const waits = async () => (await database.pool.query<{ count: number }>(waiting)).rows[0]?.count
      await expect.poll(waits).toBe(1)
      await earlier.query('commit')
      await writing
      const newest = await database.prisma.auditEvent.findFirstOrThrow({ orderBy: { id: 'desc' } })
      expect(newest.id).toBeGreaterThan(rows[0]?.id ?? Infinity)
    } finally {
      earlier.release(true) // a test that failed leaves no lock behind
    }
  })
})
