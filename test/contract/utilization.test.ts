import { beforeAll, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'
import { addProxy, halfHourMs, storageOf, transferOf, usageMessage } from '../support/database/usage-rows.js'

const shared = shareApi({ ROOST_USAGE_RETENTION_DAYS: '36500' })
const { get } = shared
let proxies: readonly number[]
let base: string

const at = (hour: number) => Date.parse('2017-05-31T19:00:00Z') + hour * 2 * halfHourMs
const report = (node: number, ...message: Parameters<typeof usageMessage>) =>
  shared.api.context.utilization.intake.accept(node, usageMessage(...message))

/** Hours 0 and 1 of the 31st of May 2017, from 19:00 on; bob is there all the time, ann in the second hour alone. */
beforeAll(async () => {
  const cluster = await addCluster(shared.api.database)
  base = `/api/v1/clusters/${cluster}/utilization`
  proxies = [await addProxy(shared.api.database, cluster), await addProxy(shared.api.database, cluster)]
  const [one = 0, two = 0] = proxies
  await report(one, at(0), {
    storage: [storageOf('AUTH_bob', 100, { container_count: 3, object_count: 9 })],
    transfer: [transferOf('AUTH_bob', 10, 1000, 2)],
    log_read: 1,
  })
  await report(two, at(0), { transfer: [transferOf('AUTH_bob', 5, 500, 1)], log_read: 1 })
  await report(one, at(0.5), {
    storage: [storageOf('AUTH_bob', 70, { object_count: 11, slots: 1 })],
    transfer: [transferOf('AUTH_bob', 1, 1, 1)],
    log_read: 1,
  })
  await report(one, at(1), {
    storage: [storageOf('AUTH_bob', 50), storageOf('AUTH_ann', 400), storageOf('AUTH_bob', 7, { policy: 1 })],
    transfer: [transferOf('AUTH_ann', 8, 80, 4)],
    log_read: 0.5,
  })
  await report(two, at(1.5), { storage: [storageOf('AUTH_bob', 60)], log_read: 0.5 })
})

const may = 'start=2017-05-31T19:00:00&end=2017-05-31T21:00:00'
const ask = async (path: string, query = may) => (await get(`${base}/${path}?${query}`)).body
const rows = async (path: string, query = may) => (await ask(path, query)).objects

describe('start and end', () => {
  it('start is required', async () => {
    for (const query of ['', 'start=', 'end=2017-05-31T21:00:00'])
      expect((await get(`${base}/transfer/?${query}`)).status).toBe(400)
  })

  it('that cannot be read, or an end before its start, is 400', async () => {
    for (const query of ['start=x', 'start=2017-02-30', `${may}&end=2017`, 'start=2017-05-31&end=2017-05-30'])
      expect([query, (await get(`${base}/transfer/?${query}`)).status]).toEqual([query, 400])
  })

  it('start is rounded down to the half-hour, end up to whole hours from there', async () => {
    const [row] = await rows('transfer/AUTH_bob/', 'start=2017-05-31T18:47:00&end=2017-05-31T20:31:00')
    expect(row).toMatchObject({ start: '2017-05-31 18:30:00Z', end: '2017-05-31 21:30:00Z' })
    const [month] = await rows('transfer/AUTH_bob/', 'start=2017-05-31T19:00:00&end=2017-06-30T18:59:59')
    expect(month).toMatchObject({ start: '2017-05-31 19:00:00Z', end: '2017-06-30 19:00:00Z' })
  })

  it('end is now unless given', async () => {
    const [row] = await rows('transfer/AUTH_bob/', 'start=2017-05-31T19:00:00')
    expect(Math.abs(Date.parse(row.end) - Date.now())).toBeLessThanOrEqual(2 * halfHourMs)
  })

  it('of nothing, where both are the same half-hour, there are no rows', async () => {
    const same = 'start=2017-05-31T19:00:00&end=2017-05-31T19:00:00'
    for (const path of ['storage/0/total/', 'transfer/', 'transfer/AUTH_bob/detail/'])
      expect(await rows(path, same)).toEqual([])
  })

  it('any zone may be given; none is UTC', async () => {
    for (const start of ['2017-05-31T21:00:00%2B02:00', '2017-05-31 19:00:00Z', '2017-05-31T21:00:00+02:00'])
      expect((await rows('transfer/AUTH_bob/detail/', `start=${start}&end=2017-05-31T21:00:00`))[0]).toMatchObject({
        start: '2017-05-31 19:00:00Z',
      })
  })
})

describe('storage', () => {
  it('detail has one object an hour, ascending, with the maximum of the two halves', async () => {
    expect(await rows('storage/0/AUTH_bob/detail/')).toEqual([
      {
        start: '2017-05-31 19:00:00Z',
        end: '2017-05-31 20:00:00Z',
        pct_complete: expect.closeTo((100 * 4) / 6, 9),
        bytes_used: 100,
        container_count: 3,
        object_count: 11,
        verified: false,
      },
      {
        start: '2017-05-31 20:00:00Z',
        end: '2017-05-31 21:00:00Z',
        pct_complete: 100,
        bytes_used: 60,
        container_count: 1,
        object_count: 2,
        verified: false,
      },
    ])
  })

  it('any half-hour start can be answered', async () => {
    const objects = await rows('storage/0/AUTH_bob/detail/', 'start=2017-05-31T19:30&end=2017-05-31T21:00')
    expect(objects.map((row: { bytes_used: number }) => row.bytes_used)).toEqual([70, 60])
    expect(objects[1]).toMatchObject({ start: '2017-05-31 20:30:00Z', end: '2017-05-31 21:30:00Z', pct_complete: 50 })
  })

  it('of an account is one object for the whole range', async () => {
    expect(await rows('storage/0/AUTH_bob/')).toEqual([
      {
        start: '2017-05-31 19:00:00Z',
        end: '2017-05-31 21:00:00Z',
        pct_complete: expect.closeTo((100 * 10) / 12, 9),
        bytes_used: 100,
        container_count: 3,
        object_count: 11,
        verified: false,
      },
    ])
  })

  it('of a policy is one object an account, ascending by account', async () => {
    const objects = await rows('storage/0/')
    expect(objects.map((row: { account: string; bytes_used: number }) => [row.account, row.bytes_used])).toEqual([
      ['AUTH_ann', 400],
      ['AUTH_bob', 100],
    ])
    expect(await rows('storage/1/')).toMatchObject([
      { account: 'AUTH_ann', bytes_used: 0 },
      { account: 'AUTH_bob', bytes_used: 7 },
    ])
  })

  it('total is one object over all accounts', async () => {
    expect(await rows('storage/0/total/')).toEqual([
      {
        start: '2017-05-31 19:00:00Z',
        end: '2017-05-31 21:00:00Z',
        pct_complete: expect.closeTo((100 * 13) / 24, 9),
        bytes_used: 500,
        container_count: 4,
        object_count: 13,
        verified: false,
      },
    ])
  })
})

describe('transfer', () => {
  it('detail has the sums of the proxies, and the share of their logs that was read', async () => {
    expect(await rows('transfer/AUTH_bob/detail/')).toEqual([
      {
        start: '2017-05-31 19:00:00Z',
        end: '2017-05-31 20:00:00Z',
        pct_complete: 75,
        bytes_in: 16,
        bytes_out: 1501,
        req_count: 4,
      },
    ])
    expect(await rows('transfer/AUTH_ann/detail/')).toMatchObject([{ start: '2017-05-31 20:00:00Z', pct_complete: 25 }])
  })

  it('of an account, of all accounts and in total has sums over the range', async () => {
    expect(await rows('transfer/AUTH_bob/')).toMatchObject([{ bytes_in: 16, bytes_out: 1501, pct_complete: 50 }])
    expect(await rows('transfer/')).toMatchObject([
      { account: 'AUTH_ann', bytes_in: 8, req_count: 4 },
      { account: 'AUTH_bob', bytes_in: 16, req_count: 4 },
    ])
    expect(await rows('transfer/total/')).toMatchObject([{ bytes_in: 24, bytes_out: 1581, req_count: 8 }])
  })
})

describe('the envelope', () => {
  it('tells account and policy_idx when there is data', async () => {
    expect((await ask('storage/1/AUTH_bob/')).meta).toEqual({
      limit: 20,
      offset: 0,
      next: null,
      previous: null,
      total_count: 1,
      account: 'AUTH_bob',
      policy_idx: 1,
    })
    expect((await ask('storage/0/total/')).meta).toMatchObject({ policy_idx: 0 })
    expect((await ask('transfer/AUTH_bob/')).meta).toMatchObject({ account: 'AUTH_bob' })
    for (const path of ['storage/7/AUTH_bob/', 'storage/0/AUTH_nobody/detail/', 'transfer/AUTH_nobody/'])
      expect(Object.keys((await ask(path)).meta)).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/^(acc|pol)/)]),
      )
  })

  it('of an unknown account, or of a range without records, has no objects', async () => {
    const past = 'start=2001-01-01&end=2001-01-02'
    for (const path of ['storage/0/', 'storage/0/total/', 'storage/0/AUTH_bob/', 'storage/0/AUTH_bob/detail/'])
      expect(await ask(path, past)).toMatchObject({ meta: { total_count: 0 }, objects: [] })
    for (const path of ['storage/0/AUTH_no/', 'storage/0/AUTH_no/detail/', 'transfer/AUTH_no/', 'transfer/%00/'])
      expect(await ask(path)).toMatchObject({ meta: { total_count: 0 }, objects: [] })
  })

  it('is paged by limit and offset, and next keeps the other parameters', async () => {
    const first = await ask('storage/0/', `${may}&limit=1`)
    expect(first.objects).toMatchObject([{ account: 'AUTH_ann' }])
    expect(first.meta.next).toBe(`${base}/storage/0/?${may}&limit=1&offset=1`)
    const second = (await get(first.meta.next)).body
    expect(second).toMatchObject({ meta: { next: null, total_count: 2 }, objects: [{ account: 'AUTH_bob' }] })
    expect((await ask('storage/0/total/', `${may}&offset=1`)).objects).toEqual([])
    expect((await get(`${base}/storage/0/?${may}&limit=x`)).status).toBe(400)
  })
})

it('a client that steps by 1000 while next is set collects exactly 2,500 rows', async () => {
  const { pool } = shared.api.database
  const begin = Date.parse('2018-01-01T00:00:00Z') / halfHourMs
  await pool.query(
    `with account as (
       insert into usage_accounts (cluster_id, name) select cluster_id, 'AUTH_walk' from nodes where id = $1 returning id)
     insert into storage_usage (account_id, policy_index, half_hour, slots, bytes_used, containers, objects)
     select account.id, 0, $2 + 2 * hour, 7, hour, 1, 1 from account, generate_series(0, 2499) hour`,
    [proxies[0], begin],
  )
  const query = `start=2018-01-01T00:00:00&end=2018-06-01T00:00:00`
  const bytes: number[] = []
  for (let offset = 0, next: unknown = true; next !== null; offset += 1000) {
    const { meta, objects } = await ask('storage/0/AUTH_walk/detail/', `${query}&limit=1000&offset=${offset}`)
    bytes.push(...objects.map((row: { bytes_used: number }) => row.bytes_used))
    next = meta.next
  }
  expect(bytes).toEqual(Array.from({ length: 2500 }, (_, hour) => hour))
  for (const limit of [0, 5000])
    expect((await ask('storage/0/AUTH_walk/detail/', `${query}&limit=${limit}`)).meta.limit).toBe(1000)
})

describe('an account name', () => {
  it('may have anything that can be percent-encoded, up to 512 bytes', async () => {
    const [node = 0] = proxies
    const names = ['AUTH_a/b?c#d e%2F+ü', '.expiring_objects', 'x'.repeat(512), 'ü'.repeat(256), 'detail']
    await report(node, '2019-01-01T00:00:00Z', { transfer: names.map((name) => transferOf(name, 1)) })
    for (const name of names) {
      const path = `transfer/${encodeURIComponent(name)}/`
      const { meta, objects } = await ask(path, 'start=2019-01-01&end=2019-01-02&limit=1')
      expect(meta.account).toBe(name)
      expect(objects).toHaveLength(1)
    }
  })
})

it('an unknown cluster, and a policy that is no index, is 404', async () => {
  const kinds = [
    'storage/0/',
    'storage/0/a/',
    'storage/0/a/detail/',
    'storage/0/total/',
    'transfer/',
    'transfer/total/',
  ]
  for (const kind of kinds) {
    expect((await get(`/api/v1/clusters/99999/utilization/${kind}?${may}`)).status).toBe(404)
    expect((await get(`/api/v1/clusters/99999/utilization/${kind}`)).status).toBe(404)
  }
  for (const policy of ['x', '-1', '2147483648', '1.5'])
    expect((await get(`${base}/storage/${policy}/?${may}`)).status).toBe(404)
})
