import { halfHourSeconds } from '@roost/api-types/agent'
import type { UsageMessage } from '@roost/api-types/agent'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addProxy } from '../support/database/usage-rows.js'
import { useUsage } from './harness.js'
import { storageModel, transferModel } from './model.js'
import type { NodeReport } from './model.js'

const harness = useUsage('2026-05-30T04:00:00Z')
const isLong = process.env['ROOST_TEST_LONG'] === '1'
const runs = isLong ? 1_000 : 30
const begin = Date.parse('2026-05-30T00:00:00Z') / 1000
const halfHours = 8

const account = fc.constantFrom('AUTH_a', 'AUTH_B', '.c', 'AUTH_ä')
const amount = fc.oneof(fc.nat(9), fc.nat({ max: 2 ** 50 }))
const slots = fc.nat(7)
const storage = fc.record({
  account,
  policy: fc.nat(1),
  bytes_used: amount,
  container_count: fc.nat(9),
  object_count: fc.nat(9),
  slots,
})
const transfer = fc.record({ account, bytes_in: fc.nat(1e9), bytes_out: fc.nat(1e9), req_count: fc.nat(9) })
const message: fc.Arbitrary<UsageMessage> = fc.record({
  type: fc.constant('usage' as const),
  sequence: fc.constant(1),
  half_hour: fc.nat(halfHours - 1).map((halfHour) => begin + halfHour * halfHourSeconds),
  storage: fc.array(storage, { maxLength: 4 }),
  transfer: fc.array(transfer, { maxLength: 4 }),
  log_read: fc.option(fc.constantFrom(0, 0.25, 1)),
})
/** Messages of two nodes, some of which come again, in any order. */
const history = fc
  .array(fc.record({ node: fc.nat(1), message }), { maxLength: 12 })
  .chain((reports) =>
    fc.tuple(fc.shuffledSubarray(reports), fc.shuffledSubarray(reports, { minLength: reports.length })),
  )
  .map(([again, once]) => [...again, ...once])

it('every answer equals that of a naive model of the same messages, whatever their order and repetition', async () => {
  await fc.assert(
    fc.asyncProperty(history, fc.nat(halfHours), fc.integer({ min: 1, max: 6 }), async (reports, from, hours) => {
      const clusterId = await addCluster(harness.database)
      const nodes = [await addProxy(harness.database, clusterId), await addProxy(harness.database, clusterId)]
      for (const { node, message } of reports) await harness.usage.intake.accept(nodes[node] ?? 0, message)
      const start = begin + from * halfHourSeconds
      const end = start + hours * 2 * halfHourSeconds
      const range = { start: new Date(start * 1000).toISOString(), end: new Date(end * 1000).toISOString() }
      await compare(clusterId, reports, range, { start, end })
    }),
    { numRuns: runs, endOnFailure: !isLong },
  )
})

async function compare(
  clusterId: number,
  reports: readonly NodeReport[],
  range: { readonly start: string; readonly end: string },
  seconds: { readonly start: number; readonly end: number },
): Promise<void> {
  const all = { limit: 1000, offset: 0 }
  const { storage, transfer } = harness.usage.service
  for (const policyIdx of [0, 1]) {
    const scope = { clusterId, policyIdx }
    const model = storageModel(reports, policyIdx, seconds)
    expect((await storage.ofAccounts(scope, range, all)).objects).toEqual(model.accounts)
    expect((await storage.total(scope, range)).objects).toEqual(model.total)
    expect((await storage.detail(scope, 'AUTH_a', range, all)).objects).toEqual(model.detail('AUTH_a'))
  }
  const scope = { clusterId }
  const model = transferModel(reports, seconds)
  expect((await transfer.ofAccounts(scope, range, all)).objects).toEqual(model.accounts)
  expect((await transfer.total(scope, range)).objects).toEqual(model.total)
  expect((await transfer.detail(scope, 'AUTH_a', range, all)).objects).toEqual(model.detail('AUTH_a'))
}
