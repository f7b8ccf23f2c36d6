import { beforeAll, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addProxy, storageOf, usageMessage } from '../support/database/usage-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const shared = shareApi({ ROOST_USAGE_RETENTION_DAYS: '36500' })
const firstHour = { start: '2017-05-31 19:00:00Z', end: '2017-05-31 20:00:00Z' }
const secondHour = { start: '2017-05-31 20:00:00Z', end: '2017-05-31 21:00:00Z' }
const both = { start: firstHour.start, end: secondHour.end }
const zeros = { bytes_used: 0, container_count: 0, object_count: 0, verified: false }
let base: string

/** Policies 0 to 3. Bob is in 0 in the first hour and in 1 in the second; two nodes report ann in 0, in the second. */
beforeAll(async () => {
  const { database, context } = shared.api
  const cluster = await addCluster(database)
  base = `/api/v1/clusters/${cluster}/utilization`
  const [one, two] = [await addProxy(database, cluster), await addProxy(database, cluster)]
  const { intake } = context.utilization
  await intake.accept(one, usageMessage(firstHour.start, { storage: [storageOf('AUTH_bob', 100)] }))
  const later = [storageOf('AUTH_bob', 7, { policy: 1, slots: 1 }), storageOf('AUTH_ann', 400)]
  await intake.accept(one, usageMessage(secondHour.start, { storage: later }))
  await intake.accept(two, usageMessage(secondHour.start, { storage: [storageOf('AUTH_ann', 400)] }))
})

const ask = async (path: string, { start, end } = both) => {
  const range = new URLSearchParams({ start, end }).toString()
  return (await shared.get(`${base}/storage/${path}${path.includes('?') ? '&' : '?'}${range}`)).body
}
const rows = async (path: string, range = both) => (await ask(path, range)).objects
const percent = (samples: number, halfHours: number) => expect.closeTo((100 * samples) / (3 * halfHours), 9)

it('an account has a row of zeros in the policies where it has no data, as complete as its data is', async () => {
  const bob = { account: 'AUTH_bob', ...both, pct_complete: percent(4, 4), ...zeros }
  const ann = { account: 'AUTH_ann', ...both, pct_complete: percent(3, 4), ...zeros, verified: true }
  for (const policy of [2, 3]) expect(await rows(`${policy}/`)).toEqual([ann, bob])
  expect(await rows('1/')).toEqual([ann, { ...bob, bytes_used: 7, container_count: 1, object_count: 2 }])
  const { account, ...rest } = bob
  const { meta, objects } = await ask('2/AUTH_bob/')
  expect(objects).toEqual([rest])
  expect(meta).toMatchObject({ account, policy_idx: 2, total_count: 1 })
  expect(await rows('2/total/')).toEqual([{ ...rest, pct_complete: percent(7, 8) }])
})

it('an hour with data in another policy only is a row of zeros', async () => {
  expect(await rows('0/AUTH_bob/detail/')).toEqual([
    {
      ...firstHour,
      pct_complete: percent(3, 2),
      bytes_used: 100,
      container_count: 1,
      object_count: 2,
      verified: false,
    },
    { ...secondHour, pct_complete: percent(1, 2), ...zeros },
  ])
  expect(await rows('3/AUTH_ann/detail/')).toEqual([
    { ...secondHour, pct_complete: percent(3, 2), ...zeros, verified: true },
  ])
})

it('rows of zeros are counted and paged like the others', async () => {
  const { meta, objects } = await ask('2/?limit=1&offset=1')
  expect(objects).toMatchObject([{ account: 'AUTH_bob' }])
  expect(meta).toMatchObject({ total_count: 2, next: null })
  expect((await ask('2/AUTH_bob/detail/?limit=1')).meta).toMatchObject({ total_count: 2 })
})

it('there are none without data of the account in the range, nor in a policy that the cluster does not have', async () => {
  for (const policy of [0, 2]) {
    expect(await rows(`${policy}/AUTH_ann/`, firstHour)).toEqual([])
    expect(await rows(`${policy}/`, firstHour)).toMatchObject([{ account: 'AUTH_bob' }])
  }
  for (const path of ['7/', '7/total/', '7/AUTH_bob/', '7/AUTH_bob/detail/']) expect(await rows(path)).toEqual([])
})
