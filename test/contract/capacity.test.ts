import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster, addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'

let api: TestApi
let cluster: number
beforeAll(async () => {
  api = await startApi()
  cluster = await addCluster(api.database)
  const policies = new Map<string, number>()
  for (const [index, name] of ['gold', 'silver', 'bronze'].entries())
    policies.set(name, await addPolicy(api.database, cluster, index, name))
  const node = await addNode(api.database, cluster)
  const tb = 10n ** 12n
  const devices = [
    { names: ['silver', 'gold'], used: 1n, free: 3n },
    { names: ['gold', 'silver'], used: 3n, free: 1n },
    { names: ['silver'], used: 2n, free: 2n },
    { names: ['silver'], used: 1n, free: 1n, status: 'unmounted' },
    { names: [], used: 4n, free: 4n },
    { names: ['bronze'], used: 0n, free: 0n, status: 'missing' },
  ]
  for (const { names, used, free, status = 'ok' } of devices) {
    const id = await addDevice(api.database, cluster, node, {
      status,
      totalBytes: (used + free) * tb + tb / 2n,
      freeBytes: free * tb + tb / 2n,
      availableBytes: free * tb,
    })
    const data = names.map((name) => ({ deviceId: id, policyId: policies.get(name) ?? 0 }))
    await api.database.prisma.devicePolicy.createMany({ data })
  }
  await api.context.capacity.intake.devicesChanged(node)
})
afterAll(() => api.stop())

interface Element {
  readonly ring_set: string
  readonly pct_used_stats: { readonly count: number }
}
const capacity = async (): Promise<Element[]> =>
  (await api.get(`/api/v1/clusters/${cluster}/capacity/list/`)).body.capacity

it('there is one element for each set of policies that has a device, by the indexes of the policies', async () => {
  expect((await capacity()).map(({ ring_set: set }) => set)).toEqual(['gold,silver', 'silver', 'bronze'])
})

it('an element tells raw without what is reserved and free, used, free and percent', async () => {
  const [both] = await capacity()
  expect(both).toEqual({
    ring_set: 'gold,silver',
    total_raw_tb: 8,
    total_used_tb: 4,
    total_free_tb: 4,
    total_used_pct: 50,
    pct_used_stats: { count: 2, min: 25, max: 75, avg: 50, stddev: expect.closeTo(35.3553, 4), pct_95: 75 },
  })
})

it('counts assigned devices; the other values are of devices whose filesystem is known', async () => {
  const [, silver, bronze] = await capacity()
  expect(silver).toMatchObject({ total_raw_tb: 4, total_used_pct: 50, pct_used_stats: { count: 2, stddev: 0 } })
  expect(bronze).toMatchObject({
    total_raw_tb: 0,
    total_used_pct: 0,
    pct_used_stats: { count: 1, min: 0, max: 0, avg: 0, stddev: 0, pct_95: 0 },
  })
})

it('counts the last values of an offline node', async () => {
  const before = await capacity()
  await api.database.prisma.node.updateMany({ data: { state: 'offline' } })
  const { id } = await api.database.prisma.node.findFirstOrThrow()
  await api.context.capacity.intake.devicesChanged(id)
  expect(await capacity()).toEqual(before)
})

it('a cluster without devices has none, and an unknown one is 404', async () => {
  expect((await api.get('/api/v1/clusters/1/capacity/list/')).body).toEqual({ capacity: [] })
  expect((await api.get('/api/v1/clusters/999/capacity/list/')).status).toBe(404)
})
