import { beforeAll, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addProxy, storageOf, transferOf, usageMessage } from '../support/database/usage-rows.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const shared = shareApi({ ROOST_USAGE_RETENTION_DAYS: '36500' })
const client = shareClient(shared)
const { get } = shared
let cluster = 0
let base = ''

/** Two days with a day without reports between them, and one of the month after. */
beforeAll(async () => {
  cluster = await addCluster(shared.api.database)
  base = `/api/v1/clusters/${cluster}/utilization`
  const proxies = [await addProxy(shared.api.database, cluster), await addProxy(shared.api.database, cluster)]
  const report = (at: number, ...message: Parameters<typeof usageMessage>) =>
    shared.api.context.utilization.intake.accept(proxies[at] ?? 0, usageMessage(...message))
  for (const [time, more] of [
    ['2017-05-29T19:00:00Z', 0],
    ['2017-05-29T19:30:00Z', 5],
    ['2017-05-31T23:30:00Z', 50],
  ] as const) {
    const storage = [
      storageOf('AUTH_bob', 100 + more),
      storageOf('AUTH_bob', 7, { policy: 1 }),
      storageOf('AUTH_ann', 40, { policy: 1 }),
      storageOf('AUTH_eve', 3),
    ]
    await report(0, time, { storage, transfer: [transferOf('AUTH_bob', 10, 1000, 2)], log_read: 1 })
    // A third node's report of more than the others does not count.
    await report(1, time, { storage: [storageOf('AUTH_bob', 1_000_000)], log_read: 1 })
  }
  await report(0, '2017-06-01T00:00:00Z', {
    storage: [storageOf('AUTH_ann', 9_000_000_000_000_000, { policy: 1 })],
    log_read: 0.5,
  })
  await report(0, '2017-06-01T01:00:00Z', { transfer: [transferOf('AUTH_ann', 1, 2, 1)] })
})

const days = 'start=2017-05-29&end=2017-06-02'
const series = async (query: string) => (await get(`${base}/series/?${days}&${query}`)).body

describe('storage by policy', () => {
  it('has the sum of the accounts for each day, and null for a day without reports', async () => {
    const { steps, series: found } = await series('')
    expect(steps.map(({ start }: { start: string }) => start)).toEqual([
      '2017-05-29 00:00:00Z',
      '2017-05-30 00:00:00Z',
      '2017-05-31 00:00:00Z',
      '2017-06-01 00:00:00Z',
    ])
    const valuesOf = found.map((one: { policy_idx: number; bytes_used: unknown[] }) => [one.policy_idx, one.bytes_used])
    expect(valuesOf.slice(0, 3)).toEqual([
      [0, [108, null, 153, 0]],
      [1, [47, null, 47, 9_000_000_000_000_000]],
      [2, [0, null, 0, 0]],
    ])
  })

  it('is what the totals of the days are, with their completeness', async () => {
    const { steps, series: found } = await series('')
    for (const { policy_idx: policy, bytes_used: bytes, pct_complete: percents } of found)
      for (const [i, { start, end }] of steps.entries()) {
        const [total] = (await get(`${base}/storage/${policy}/total/?start=${start}&end=${end}`)).body.objects
        expect([policy, start, bytes[i], percents[i]]).toEqual([
          policy,
          start,
          total?.bytes_used ?? null,
          expect.closeTo(total?.pct_complete ?? 0, 9),
        ])
      }
  })

  it('has months, of which the first and the last may be a part', async () => {
    const { steps, series: found } = await series('by=month')
    expect(steps).toEqual([
      { start: '2017-05-29 00:00:00Z', end: '2017-06-01 00:00:00Z' },
      { start: '2017-06-01 00:00:00Z', end: '2017-06-02 00:00:00Z' },
    ])
    expect(found[0].bytes_used).toEqual([153, 0])
  })
})

describe('accounts', () => {
  it('are the largest, and all others together', async () => {
    const { group, series: found } = await series('group=account&top=2')
    expect(group).toBe('account')
    const shown = found.map((one: Record<string, unknown>) => [one['account'], one['is_other'], one['bytes_used']])
    expect(shown).toEqual([
      ['AUTH_ann', false, [40, null, 40, 9_000_000_000_000_000]],
      ['AUTH_bob', false, [112, null, 157, null]],
      [null, true, [3, null, 3, null]],
    ])
  })

  it('have transfer, which is zero where logs were read and null where none was', async () => {
    const { series: found } = await series('of=transfer')
    expect(found).toMatchObject([
      {
        account: 'AUTH_bob',
        bytes_in: [20, null, 10, 0],
        bytes_out: [2000, null, 1000, 0],
        req_count: [4, null, 2, 0],
      },
      { account: 'AUTH_ann', bytes_in: [0, null, 0, 1], bytes_out: [0, null, 0, 2] },
    ])
    const [all] = (await series('of=transfer&top=0')).series
    expect(all).toMatchObject({ account: null, is_other: true, bytes_in: [20, null, 10, 1] })
    const [total] = (await get(`${base}/transfer/total/?start=2017-05-29&end=2017-05-30`)).body.objects
    expect(all.pct_complete[0]).toBeCloseTo(total.pct_complete, 9)
  })
})

describe('a request for series', () => {
  it('gets the same by tRPC', async () => {
    const range = { id: cluster, start: '2017-05-29', end: '2017-06-02' }
    expect(await client.rpc.utilization.series.query(range)).toEqual(await series(''))
  })

  it('is refused for what there is not', async () => {
    for (const query of ['by=week', 'of=x', 'group=user', 'top=51', 'top=-1', 'of=transfer&group=policy'])
      expect([query, (await get(`${base}/series/?${days}&${query}`)).status]).toEqual([query, 400])
    expect((await get(`${base}/series/`)).status).toBe(400)
    const { status, body } = await get(`${base}/series/?start=2015-01-01&end=2017-01-01`)
    expect([status, body.error]).toEqual([400, expect.stringContaining('or by=month')])
    expect((await get(`${base}/series/?by=month&start=2015-01-01&end=2017-01-01`)).body.series).toEqual([])
    expect((await get(`/api/v1/clusters/999999/utilization/series/?${days}`)).status).toBe(404)
  })
})
