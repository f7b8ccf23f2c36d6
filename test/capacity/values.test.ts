import { describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database/database.js'
import { useCapacity } from './harness.js'

const database = await useDatabase()
const { at, build, device, report, stored } = useCapacity(database)
const elements = async (feature = at.capacity) => (await feature.service.ofCluster(at.clusterId)).capacity
const tb = 1e12

describe('capacity of a cluster', () => {
  it('has an element for each set of policies, named in the order of their indexes', async () => {
    await device('d1', [at.silver, at.gold], [10 * tb, 6 * tb, 5 * tb])
    await device('d2', [at.gold], [10 * tb, 8 * tb, 8 * tb])
    await device('d3', [at.silver])
    await device('d4', [])
    await at.capacity.intake.load()
    expect(await elements()).toEqual([
      expect.objectContaining({ ring_set: 'gold', total_raw_tb: 10, total_used_tb: 2, total_free_tb: 8 }),
      {
        ring_set: 'gold,silver',
        total_raw_tb: 9,
        total_used_tb: 4,
        total_free_tb: 5,
        total_used_pct: expect.closeTo(44.444444444, 9),
        pct_used_stats: {
          count: 1,
          min: expect.closeTo(44.444444444, 9),
          max: expect.closeTo(44.444444444, 9),
          avg: expect.closeTo(44.444444444, 9),
          stddev: 0,
          pct_95: expect.closeTo(44.444444444, 9),
        },
      },
      expect.objectContaining({ ring_set: 'silver', total_raw_tb: 0, total_used_pct: 0 }),
    ])
  })

  it('is empty without devices, and not found without the cluster', async () => {
    expect(await elements()).toEqual([])
    await expect(at.capacity.service.ofCluster(at.clusterId + 1)).rejects.toThrow('not found')
  })

  it('changes with the reports of the agents at once', async () => {
    await device('d1', [at.gold], [100, 50, 50])
    await at.capacity.intake.load()
    report(1000, { d1: [100, 25, 25] })
    expect((await elements())[0]?.total_used_pct).toBe(75)
  })

  it('counts a device that is unmounted, missing or failed, and excludes its usage', async () => {
    for (const key of ['d1', 'd2', 'd3', 'd4']) await device(key, [at.gold], [100, 50, 50])
    await at.capacity.intake.load()
    report(1000, { d1: 'unmounted', d2: 'missing', d3: 'failed' })
    expect((await elements())[0]).toMatchObject({ total_raw_tb: 100 / tb, pct_used_stats: { count: 4, avg: 50 } })
  })

  it('keeps the last usage of a device that cannot be read, and of a silent node', async () => {
    await device('d1', [at.gold], [100, 50, 50])
    await at.capacity.intake.load()
    report(1000, { d1: [100, 20, 20] })
    report(1010, { d1: 'ok' })
    expect((await elements())[0]?.total_used_pct).toBe(80)
  })

  it('ignores devices that are in no inventory', async () => {
    await device('d1', [at.gold], [100, 50, 50])
    await at.capacity.intake.load()
    report(1000, { d9: [100, 20, 20] })
    expect((await elements())[0]?.pct_used_stats.count).toBe(1)
  })

  it('follows changes by an inventory, and the removal of a node', async () => {
    await device('d1', [at.gold], [100, 50, 50])
    await at.capacity.intake.load()
    await device('d2', [at.gold], [100, 0, 0])
    await at.capacity.intake.devicesChanged(at.nodeId)
    expect((await elements())[0]?.pct_used_stats).toMatchObject({ count: 2, max: 100 })
    await database.prisma.node.delete({ where: { id: at.nodeId } })
    await at.capacity.intake.refresh()
    expect(await elements()).toEqual([])
  })

  it('survives a restart with the last usage that was reported', async () => {
    await device('d1', [at.gold], [100, 50, 50])
    await at.capacity.intake.load()
    report(1000, { d1: [2 ** 52, 2 ** 51 + 1, 2 ** 51] })
    await at.capacity.writer.flush()
    const restarted = build()
    await restarted.intake.load()
    expect(await elements(restarted)).toEqual(await elements())
    expect(await stored('d1')).toMatchObject({
      totalBytes: 2n ** 52n,
      freeBytes: 2n ** 51n + 1n,
      availableBytes: 2n ** 51n,
      lastSeen: new Date(1_000_000),
    })
  })
})
