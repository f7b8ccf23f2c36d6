import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../support/api.js'
import type { TestApi } from '../support/api.js'
import { addCluster, addDevice, addNode, addPolicy } from '../support/fleet-rows.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const capacityOf = (clusterId: number) => api.get(`/api/v1/clusters/${clusterId}/capacity/list/`)

/** The figures of the contract: blocks, bfree and bavail in bytes. */
const vector = {
  totalBytes: 52_710_469_632,
  freeBytes: 52_710_469_632 - 21_180_530_688,
  availableBytes: 28_845_584_384,
}

async function clusterOf(devices: readonly { readonly policies: readonly number[]; readonly used?: number }[]) {
  const clusterId = await addCluster(api.database)
  const nodeId = await addNode(api.database, clusterId)
  const policyIds = new Map<number, number>()
  for (const [index, name] of ['gold', 'silver', 'bronze'].entries())
    policyIds.set(index, await addPolicy(api.database, clusterId, index, name))
  for (const { policies, used } of devices) {
    const figures =
      used === undefined ? vector : { totalBytes: 1e12, freeBytes: 1e12 - used, availableBytes: 1e12 - used }
    const create = policies.map((index) => ({ policyId: policyIds.get(index) as number }))
    await addDevice(api.database, clusterId, nodeId, { ...figures, policies: { create } })
  }
  await api.context.capacity.intake.devicesChanged(nodeId)
  return clusterId
}

describe('capacity/list/', () => {
  it('gives the figures of df: reserved blocks count when they are used, and only then', async () => {
    const { status, body } = await capacityOf(await clusterOf([{ policies: [0] }]))
    expect(status).toBe(200)
    const percent = (100 * 21_180_530_688) / 50_026_115_072
    expect(body).toEqual({
      capacity: [
        {
          ring_set: 'gold',
          total_raw_tb: expect.closeTo(0.050026115072, 12),
          total_used_tb: expect.closeTo(0.021180530688, 12),
          total_free_tb: expect.closeTo(0.028845584384, 12),
          total_used_pct: expect.closeTo(percent, 9),
          pct_used_stats: {
            count: 1,
            min: expect.closeTo(percent, 9),
            max: expect.closeTo(percent, 9),
            avg: expect.closeTo(percent, 9),
            stddev: 0,
            pct_95: expect.closeTo(percent, 9),
          },
        },
      ],
    })
  })

  it('has one element for each unordered set, sorted by the indexes of its policies', async () => {
    const clusterId = await clusterOf([
      { policies: [1] },
      { policies: [2, 0] },
      { policies: [0, 2] },
      { policies: [0, 1] },
      { policies: [] },
    ])
    const { capacity } = (await capacityOf(clusterId)).body
    const sets = capacity.map((one: { ring_set: string; pct_used_stats: { count: number } }) => [
      one.ring_set,
      one.pct_used_stats.count,
    ])
    expect(sets).toEqual([
      ['gold,silver', 1],
      ['gold,bronze', 2],
      ['silver', 1],
    ])
  })

  it('takes the sample deviation and the 95th percentile by nearest rank', async () => {
    const devices = Array.from({ length: 20 }, (_, i) => ({ policies: [0], used: (i + 1) * 1e10 }))
    const { pct_used_stats } = (await capacityOf(await clusterOf(devices))).body.capacity[0]
    expect(pct_used_stats).toEqual({
      count: 20,
      min: expect.closeTo(1, 9),
      max: expect.closeTo(20, 9),
      avg: expect.closeTo(10.5, 9),
      stddev: expect.closeTo(Math.sqrt(35), 9),
      pct_95: expect.closeTo(19, 9),
    })
  })

  it('is an empty list for a cluster without devices, and 404 for an unknown cluster', async () => {
    expect((await capacityOf(await clusterOf([]))).body).toEqual({ capacity: [] })
    expect((await capacityOf(999_999)).status).toBe(404)
  })
})
