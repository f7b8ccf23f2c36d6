import { createIdempotencyStore } from '@roost/control-plane/dist/database/idempotency.js'
import { createWrites } from '@roost/control-plane/dist/database/writes.js'
import { createAuditStore } from '@roost/control-plane/dist/database/transaction.js'
import { createDriftService } from '@roost/control-plane/dist/deployments/drift.js'
import { createStateStore } from '@roost/control-plane/dist/deployments/state-store.js'
import { createSecrets } from '@roost/control-plane/dist/secrets/secrets.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { testCaller } from '../support/agents/enrollment.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'

const secrets = createSecrets([{ id: '00000001', key: new Uint8Array(32).fill(1) }])
const payload = secrets.seal('desired-state', '{}')
const drift = [{ subject: 'shares.conf', message: 'changed by hand', diff: '' }]

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

it('a decision about drift waits for a deployment that ends at the same time, and does not undo it', async () => {
  const nodeId = await addNode(database, await addCluster(database))
  const store = createStateStore(database)
  const writes = createWrites({
    store: createAuditStore(database),
    idempotency: createIdempotencyStore(database, Date.now),
  })
  const service = createDriftService({
    store,
    writes,
    secrets,
    adoptShare: async () => ({}),
    configStateOf: async () => 'drifted',
    sendDesired: async () => {},
  })
  await store.transaction(async (tx) => {
    await store.raise(tx, nodeId, 'gateway', payload)
    await store.setOutcome(tx, nodeId, 'gateway', { inForce: 1, outcome: 'applied', message: '' })
    await store.setDrift(tx, nodeId, 'gateway', drift)
  })

  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query(`update node_deployments set desired = 2, in_force = 2, drift = '[]' where node_id = ${nodeId}`)
    const resolving = service.resolve(nodeId, { action: 'reapply' }, testCaller).catch(String)
    const waiting = `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    const waits = async () => (await database.pool.query<{ count: number }>(waiting)).rows[0]?.count
    await expect.poll(waits).toBe(1)
    await client.query('commit')
    expect(await resolving).toContain('Nothing on this node has drifted')
  } finally {
    client.release(true)
  }
  expect(await store.ofNode(nodeId)).toMatchObject([{ desired: 2, inForce: 2 }])
})
