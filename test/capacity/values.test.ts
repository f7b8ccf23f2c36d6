import { createDayStore } from '@roost/control-plane/dist/capacity/day-store.js'
import { createForecastStore } from '@roost/control-plane/dist/capacity/forecast-store.js'
import { createCapacity } from '@roost/control-plane/dist/capacity/feature.js'
import type { CapacityFeature } from '@roost/control-plane/dist/capacity/feature.js'
import { createCapacityStore } from '@roost/control-plane/dist/capacity/store.js'
import { beforeEach, describe, expect, it } from 'vitest'
import { useDatabase } from '../support/database/database.js'
import { addCluster, addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'

const database = await useDatabase()

let clusterId: number
let nodeId: number
let gold: number
let silver: number
let capacity: CapacityFeature
beforeEach(async () => {
  clusterId = await addCluster(database)
  nodeId = await addNode(database, clusterId)
  silver = await addPolicy(database, clusterId, 1, 'silver')
  gold = await addPolicy(database, clusterId, 0, 'gold')
  capacity = build()
})

function build(store = createCapacityStore(database)): CapacityFeature {
  const requireCluster = async (id: number) => {
    if ((await database.prisma.cluster.count({ where: { id } })) === 0) throw new Error('not found')
  }
  return createCapacity({
    store,
    days: createDayStore(database),
    forecasts: createForecastStore(database),
    requireCluster,
    log: { info: () => {}, warn: () => {} },
    now: () => Date.now(),
  })
}

const device = (agentKey: string, policyIds: readonly number[], usage?: readonly [number, number, number]) =>
  addDevice(database, clusterId, nodeId, {
    agentKey,
    totalBytes: usage?.[0] ?? null,
    freeBytes: usage?.[1] ?? null,
    availableBytes: usage?.[2] ?? null,
    policies: { create: policyIds.map((policyId) => ({ policyId })) },
  })

function report(
  time: number,
  devices: Readonly<Record<string, readonly [number, number, number] | string>>,
  reporter = nodeId,
) {
  capacity.intake.deviceUsage(reporter, {
    type: 'device_usage',
    time,
    devices: Object.entries(devices).map(([key, values]) => ({
      key,
      status: typeof values === 'string' ? (values as 'unmounted') : 'ok',
      figures:
        typeof values === 'string'
          ? null
          : { total_bytes: values[0], free_bytes: values[1], available_bytes: values[2] },
    })),
  })
}

const elements = async (feature = capacity) => (await feature.service.ofCluster(clusterId)).capacity
const stored = (agentKey: string) =>
  database.prisma.deviceUsage.findFirstOrThrow({ where: { device: { nodeId, agentKey } } })
const tb = 1e12
/** Returns the beginning of an interval in which the node's usage is stored once. */
const intervalStart = () => 300_000 - ((nodeId * 7) % 300)

describe('capacity of a cluster', () => {
  it('has an element for each set of policies, named in the order of their indexes', async () => {
    await device('d1', [silver, gold], [10 * tb, 6 * tb, 5 * tb])
    await device('d2', [gold], [10 * tb, 8 * tb, 8 * tb])
    await device('d3', [silver])
    await device('d4', [])
    await capacity.intake.load()
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
    await expect(capacity.service.ofCluster(clusterId + 1)).rejects.toThrow('not found')
  })

  it('changes with the reports of the agents at once', async () => {
    await device('d1', [gold], [100, 50, 50])
    await capacity.intake.load()
    report(1000, { d1: [100, 25, 25] })
    expect((await elements())[0]?.total_used_pct).toBe(75)
  })

  it('counts a device that is unmounted, missing or failed, and excludes its usage', async () => {
    for (const key of ['d1', 'd2', 'd3', 'd4']) await device(key, [gold], [100, 50, 50])
    await capacity.intake.load()
    report(1000, { d1: 'unmounted', d2: 'missing', d3: 'failed' })
    expect((await elements())[0]).toMatchObject({ total_raw_tb: 100 / tb, pct_used_stats: { count: 4, avg: 50 } })
  })

  it('keeps the last usage of a device that cannot be read, and of a silent node', async () => {
    await device('d1', [gold], [100, 50, 50])
    await capacity.intake.load()
    report(1000, { d1: [100, 20, 20] })
    report(1010, { d1: 'ok' })
    expect((await elements())[0]?.total_used_pct).toBe(80)
  })

  it('ignores devices that are in no inventory', async () => {
    await device('d1', [gold], [100, 50, 50])
    await capacity.intake.load()
    report(1000, { d9: [100, 20, 20] })
    expect((await elements())[0]?.pct_used_stats.count).toBe(1)
  })

  it('follows changes by an inventory, and the removal of a node', async () => {
    await device('d1', [gold], [100, 50, 50])
    await capacity.intake.load()
    await device('d2', [gold], [100, 0, 0])
    await capacity.intake.devicesChanged(nodeId)
    expect((await elements())[0]?.pct_used_stats).toMatchObject({ count: 2, max: 100 })
    await database.prisma.node.delete({ where: { id: nodeId } })
    await capacity.intake.refresh()
    expect(await elements()).toEqual([])
  })

  it('survives a restart with the last usage that was reported', async () => {
    await device('d1', [gold], [100, 50, 50])
    await capacity.intake.load()
    report(1000, { d1: [2 ** 52, 2 ** 51 + 1, 2 ** 51] })
    await capacity.writer.flush()
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

describe('usage in the database', () => {
  it('is written once in five minutes when nothing changed, too, so that last_seen is correct', async () => {
    await device('d1', [gold])
    const writes: number[] = []
    const store = createCapacityStore(database)
    capacity = build({
      ...store,
      updateUsage: (usages) => {
        writes.push(usages.length)
        return store.updateUsage(usages)
      },
    })
    await capacity.intake.load()
    const start = intervalStart()
    for (const time of [start, start + 10, start + 299, start + 300]) {
      report(time, { d1: [100, 50, 50] })
      await capacity.writer.flush()
    }
    expect(writes).toEqual([1, 1])
    expect((await stored('d1')).lastSeen).toEqual(new Date((start + 300) * 1000))
  })

  it('is stored once in five minutes however often it changes; a new status at once', async () => {
    await device('d1', [gold])
    await capacity.intake.load()
    const free: (bigint | null)[] = []
    const start = intervalStart()
    for (const [time, value] of [
      [start, 90],
      [start + 10, 80],
      [start + 299, 70],
      [start + 300, 60],
      [start + 310, 50],
    ] as const) {
      report(time, { d1: [100, value, value] })
      await capacity.writer.flush()
      free.push((await stored('d1')).freeBytes)
    }
    expect(free).toEqual([90n, 90n, 90n, 60n, 60n])
    report(start + 320, { d1: 'unmounted' })
    await capacity.writer.flush()
    expect(await stored('d1')).toMatchObject({ freeBytes: 50n, lastSeen: new Date((start + 320) * 1000) })
    expect(await database.prisma.device.findFirst({ where: { nodeId } })).toMatchObject({ status: 'unmounted' })
  })

  it('is stored at different moments for nodes that connected at the same time', async () => {
    const other = await addNode(database, clusterId)
    await device('d1', [gold])
    await addDevice(database, clusterId, other, { agentKey: 'd1', policies: { create: [{ policyId: gold }] } })
    const times = new Map<number, number[]>([nodeId, other].map((id) => [id, []]))
    const updateUsage = async (usages: readonly { nodeId: number; time: number }[]) => {
      for (const { nodeId: id, time } of usages) times.get(id)?.push(time)
    }
    capacity = build({ ...createCapacityStore(database), updateUsage })
    await capacity.intake.load()
    for (let time = 3_000; time < 3_900; time += 1) {
      for (const id of [nodeId, other]) report(time, { d1: [100, 50, 50] }, id)
      await capacity.writer.flush()
    }
    const [first, second] = [...times.values()].map(([, ...later]) => later)
    expect(first).toHaveLength(3)
    expect(second).not.toContain(first?.[0])
  })

  it('is stored when the control plane stops, and before an inventory is read again', async () => {
    await device('d1', [gold])
    await capacity.intake.load()
    report(1000, { d1: [100, 90, 90] })
    report(1010, { d1: [100, 80, 80] })
    await capacity.intake.devicesChanged(nodeId)
    expect((await stored('d1')).freeBytes).toBe(80n)
    report(1020, { d1: [100, 70, 70] })
    await capacity.intake.storeAll()
    expect((await stored('d1')).freeBytes).toBe(70n)
  })

  it('is stored after the clock was set back', async () => {
    await device('d1', [gold])
    await capacity.intake.load()
    report(90_000, { d1: [100, 90, 90] })
    report(3_600, { d1: [100, 80, 80] })
    await capacity.writer.flush()
    expect((await stored('d1')).freeBytes).toBe(80n)
  })

  it('waits in memory while the database is unavailable, only the newest of each device', async () => {
    await device('d1', [gold])
    const store = createCapacityStore(database)
    let away = true
    const writes: number[] = []
    capacity = build({
      ...store,
      async updateUsage(usages) {
        if (away) throw new Error('away')
        writes.push(usages.length)
        await store.updateUsage(usages)
      },
    })
    await capacity.intake.load()
    report(1000, { d1: [100, 50, 50] })
    await capacity.writer.flush()
    report(1010, { d1: [100, 40, 40] })
    away = false
    await capacity.writer.flush()
    expect(writes).toEqual([1])
    expect((await stored('d1')).freeBytes).toBe(40n)
  })
})

it('usage that the database refuses does not prevent that of other devices from being stored', async () => {
  for (const key of ['a', 'b', 'c', 'd', 'e']) await device(key, [gold])
  await capacity.intake.load()
  for (const key of ['a', 'b', 'd', 'e']) report(1_800_000_000, { [key]: [3, 2, 1] })
  report(1e300, { c: [3, 2, 1] })
  await capacity.writer.flush()
  for (const key of ['a', 'b', 'd', 'e']) expect(await stored(key)).toMatchObject({ totalBytes: 3n })
  expect(await stored('c')).toMatchObject({ totalBytes: null })
  report(1_800_000_100, { c: [4, 2, 1] })
  await capacity.writer.flush()
  expect(await stored('c')).toMatchObject({ totalBytes: 4n })
})
