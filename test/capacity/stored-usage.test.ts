import { createCapacityStore } from '@roost/control-plane/dist/capacity/store.js'
import { describe, expect, it } from 'vitest'
import { addDevice, addNode } from '../support/agents/fleet-rows.js'
import { useDatabase } from '../support/database/database.js'
import { useCapacity } from './harness.js'

const database = await useDatabase()
const { at, build, device, report, stored } = useCapacity(database)
/** Returns the beginning of an interval in which the node's usage is stored once. */
const intervalStart = () => 300_000 - ((at.nodeId * 7) % 300)

describe('usage in the database', () => {
  it('is written once in five minutes when nothing changed, too, so that last_seen is correct', async () => {
    await device('d1', [at.gold])
    const writes: number[] = []
    const store = createCapacityStore(database)
    at.capacity = build({
      ...store,
      updateUsage: (usages) => {
        writes.push(usages.length)
        return store.updateUsage(usages)
      },
    })
    await at.capacity.intake.load()
    const start = intervalStart()
    for (const time of [start, start + 10, start + 299, start + 300]) {
      report(time, { d1: [100, 50, 50] })
      await at.capacity.writer.flush()
    }
    expect(writes).toEqual([1, 1])
    expect((await stored('d1')).lastSeen).toEqual(new Date((start + 300) * 1000))
  })

  it('is stored once in five minutes however often it changes; a new status at once', async () => {
    await device('d1', [at.gold])
    await at.capacity.intake.load()
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
      await at.capacity.writer.flush()
      free.push((await stored('d1')).freeBytes)
    }
    expect(free).toEqual([90n, 90n, 90n, 60n, 60n])
    report(start + 320, { d1: 'unmounted' })
    await at.capacity.writer.flush()
    expect(await stored('d1')).toMatchObject({ freeBytes: 50n, lastSeen: new Date((start + 320) * 1000) })
    expect(await database.prisma.device.findFirst({ where: { nodeId: at.nodeId } })).toMatchObject({
      status: 'unmounted',
    })
  })

  it('is stored at different moments for nodes that connected at the same time', async () => {
    const other = await addNode(database, at.clusterId)
    await device('d1', [at.gold])
    await addDevice(database, at.clusterId, other, { agentKey: 'd1', policies: { create: [{ policyId: at.gold }] } })
    const times = new Map<number, number[]>([at.nodeId, other].map((id) => [id, []]))
    const updateUsage = async (usages: readonly { nodeId: number; time: number }[]) => {
      for (const { nodeId: id, time } of usages) times.get(id)?.push(time)
    }
    at.capacity = build({ ...createCapacityStore(database), updateUsage })
    await at.capacity.intake.load()
    for (let time = 3_000; time < 3_900; time += 1) {
      for (const id of [at.nodeId, other]) report(time, { d1: [100, 50, 50] }, id)
      await at.capacity.writer.flush()
    }
    const [first, second] = [...times.values()].map(([, ...later]) => later)
    expect(first).toHaveLength(3)
    expect(second).not.toContain(first?.[0])
  })

  it('is stored when the control plane stops, and before an inventory is read again', async () => {
    await device('d1', [at.gold])
    await at.capacity.intake.load()
    report(1000, { d1: [100, 90, 90] })
    report(1010, { d1: [100, 80, 80] })
    await at.capacity.intake.devicesChanged(at.nodeId)
    expect((await stored('d1')).freeBytes).toBe(80n)
    report(1020, { d1: [100, 70, 70] })
    await at.capacity.intake.storeAll()
    expect((await stored('d1')).freeBytes).toBe(70n)
  })

  it('is stored after the clock was set back', async () => {
    await device('d1', [at.gold])
    await at.capacity.intake.load()
    report(90_000, { d1: [100, 90, 90] })
    report(3_600, { d1: [100, 80, 80] })
    await at.capacity.writer.flush()
    expect((await stored('d1')).freeBytes).toBe(80n)
  })

  it('waits in memory while the database is unavailable, only the newest of each device', async () => {
    await device('d1', [at.gold])
    const store = createCapacityStore(database)
    let away = true
    const writes: number[] = []
    at.capacity = build({
      ...store,
      async updateUsage(usages) {
        if (away) throw new Error('away')
        writes.push(usages.length)
        await store.updateUsage(usages)
      },
    })
    await at.capacity.intake.load()
    report(1000, { d1: [100, 50, 50] })
    await at.capacity.writer.flush()
    report(1010, { d1: [100, 40, 40] })
    away = false
    await at.capacity.writer.flush()
    expect(writes).toEqual([1])
    expect((await stored('d1')).freeBytes).toBe(40n)
  })
})

it('usage that the database refuses does not prevent that of other devices from being stored', async () => {
  for (const key of ['a', 'b', 'c', 'd', 'e']) await device(key, [at.gold])
  await at.capacity.intake.load()
  for (const key of ['a', 'b', 'd', 'e']) report(1_800_000_000, { [key]: [3, 2, 1] })
  report(1e300, { c: [3, 2, 1] })
  await at.capacity.writer.flush()
  for (const key of ['a', 'b', 'd', 'e']) expect(await stored(key)).toMatchObject({ totalBytes: 3n })
  expect(await stored('c')).toMatchObject({ totalBytes: null })
  report(1_800_000_100, { c: [4, 2, 1] })
  await at.capacity.writer.flush()
  expect(await stored('c')).toMatchObject({ totalBytes: 4n })
})
