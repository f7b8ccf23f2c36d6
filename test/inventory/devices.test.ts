import { createCapacityStore } from '@roost/control-plane/dist/capacity/store.js'
import { describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { day, empty, inventory, noon, shareFleet } from './fleet.js'

const shared = shareFleet()

describe('devices', () => {
  it('keep their records when their disks swap slots', async () => {
    await shared.fleet.store(inventory({ d1: { uuid: 'u1', policies: [0] }, d2: { uuid: 'u2', policies: [] } }))
    const before = await shared.fleet.idsByName()
    await shared.fleet.store(inventory({ d1: { uuid: 'u2', policies: [0] }, d2: { uuid: 'u1', policies: [] } }))
    expect(await shared.fleet.idsByName()).toEqual({ d1: before.d2, d2: before.d1 })
    expect(await shared.fleet.devices()).toMatchObject([
      { id: before.d1, name: 'd2', policies: [] },
      { id: before.d2, name: 'd1', policies: ['gold'] },
    ])
  })

  it('keep what they showed while they are not mounted', async () => {
    await shared.fleet.store(inventory({ d1: { uuid: 'u1', serial: 's1' } }))
    shared.fleet.now += day
    await shared.fleet.store(inventory({ d1: empty }))
    expect(await shared.fleet.devices()).toMatchObject([
      {
        fsUuid: 'u1',
        serial: 's1',
        status: 'unmounted',
        mountPoint: null,
        lastSeen: new Date(noon),
        policies: ['gold'],
      },
    ])
  })

  it('are known by slot until a UUID is seen there', async () => {
    await shared.fleet.store(inventory({ d1: empty }))
    const before = await shared.fleet.idsByName()
    await shared.fleet.store(inventory({ d1: { uuid: 'u1' } }))
    expect(await shared.fleet.idsByName()).toEqual(before)
    expect(await shared.fleet.devices()).toHaveLength(1)
  })

  it('that are replaced leave a record without policies, which goes after 30 days', async () => {
    await shared.fleet.store(inventory({ d1: { uuid: 'u1', serial: 's1' } }))
    const old = (await shared.fleet.idsByName()).d1
    await shared.fleet.store(inventory({ d1: { uuid: 'u9', serial: 's9' } }))
    const rows = await shared.fleet.devices()
    expect(rows).toMatchObject([
      { id: old, fsUuid: 'u1', status: 'missing', agentKey: null, policies: [] },
      { fsUuid: 'u9', status: 'ok', policies: ['gold'] },
    ])
    shared.fleet.now += 31 * day
    await shared.fleet.store(inventory({ d1: { uuid: 'u9', serial: 's9' } }))
    expect(await shared.fleet.devices()).toHaveLength(1)
  })

  it('have their entries of the rings as long as a ring lists them', async () => {
    const replication = { replication_ip: '10.1.0.1', replication_port: 6200 }
    const rings = [{ ring: 'object', region: 1, zone: 2, weight: 0.5, partitions: 54, ...replication }]
    await shared.fleet.store(inventory({ d1: { uuid: 'u1', rings } }))
    expect(await shared.fleet.devices()).toMatchObject([{ rings }])
    await shared.fleet.store(
      inventory({ d1: { uuid: 'u1', rings: [...rings, { ...rings[0], ring: 'account' }] as never } }),
    )
    expect(await shared.fleet.devices()).toMatchObject([{ rings: [{ weight: 0.5 }, { ring: 'account' }] }])
    await shared.fleet.store(inventory({}))
    expect(await shared.fleet.devices()).toMatchObject([{ status: 'retired', rings: [] }])
  })

  it('that left all rings are retired until a ring lists them again, and go after 30 days', async () => {
    await shared.fleet.store(inventory({ d1: { uuid: 'u1' }, d2: { uuid: 'u2' } }))
    const before = await shared.fleet.idsByName()
    const mounted = { key: '/srv/node/d1', uuid: 'u1', status: 'unmanaged' as const, policies: [] }
    await shared.fleet.store(inventory({ d1: mounted, d2: { uuid: 'u2' } }))
    const [found] = await shared.fleet.devices()
    expect(found).toMatchObject({ id: before.d1, status: 'retired', agentKey: '/srv/node/d1', policies: [] })
    await shared.fleet.store(inventory({ d2: { uuid: 'u2' } }))
    expect(await shared.fleet.devices()).toMatchObject([{ status: 'retired', agentKey: null }, { status: 'ok' }])
    await shared.fleet.store(inventory({ d1: { uuid: 'u1' }, d2: { uuid: 'u2' } }))
    expect(await shared.fleet.idsByName()).toEqual(before)
    expect(await shared.fleet.devices()).toMatchObject([{ status: 'ok', policies: ['gold'] }, { status: 'ok' }])
    await shared.fleet.store(inventory({ d2: { uuid: 'u2' } }))
    shared.fleet.now += 31 * day
    await shared.fleet.store(inventory({ d2: { uuid: 'u2' } }))
    expect(await shared.fleet.devices()).toHaveLength(1)
  })

  it('with one UUID on two disks stay two', async () => {
    await shared.fleet.store(inventory({ d1: { uuid: 'u1', serial: 's1' } }))
    const before = await shared.fleet.idsByName()
    const cloned = { d1: { uuid: 'u1', serial: 's2' }, d2: { uuid: 'u1', serial: 's1' } }
    await shared.fleet.store(inventory(cloned))
    const after = await shared.fleet.idsByName()
    expect(after.d2).toBe(before.d1)
    expect(after.d1).not.toBe(before.d1)
    await shared.fleet.store(inventory(cloned))
    expect(await shared.fleet.idsByName()).toEqual(after)
  })

  it('follow their disk to another node', async () => {
    await shared.fleet.store(inventory({ d1: { uuid: 'u1' } }))
    const { d1 } = await shared.fleet.idsByName()
    await shared.fleet.store(inventory({ d1: empty }))
    shared.fleet.changed.length = 0
    await shared.fleet.store(inventory({ d7: { uuid: 'u1' } }), shared.fleet.otherId)
    expect(await shared.fleet.idsByName(shared.fleet.otherId)).toEqual({ d7: d1 })
    expect(new Set(shared.fleet.changed)).toEqual(new Set([shared.fleet.nodeId, shared.fleet.otherId]))
    await shared.fleet.store(inventory({ d1: empty }))
    expect(await shared.fleet.devices()).toMatchObject([{ fsUuid: null, status: 'unmounted' }])
  })

  it('of one disk that two agents see at once are two records, whoever reports', async () => {
    await shared.fleet.store(inventory({ d1: { uuid: 'u1' } }))
    await shared.fleet.store(inventory({ d1: { uuid: 'u1' } }), shared.fleet.otherId)
    const before = [await shared.fleet.idsByName(), await shared.fleet.idsByName(shared.fleet.otherId)]
    await shared.fleet.store(inventory({ d1: { uuid: 'u1' } }))
    await shared.fleet.store(inventory({ d1: { uuid: 'u1' } }), shared.fleet.otherId)
    expect([await shared.fleet.idsByName(), await shared.fleet.idsByName(shared.fleet.otherId)]).toEqual(before)
    expect(before[0]?.d1).not.toBe(before[1]?.d1)
  })

  it('are stored while their usage is written in any order, and neither stops the other', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `d${i}`)
    const report = inventory(Object.fromEntries(names.map((name) => [name, { uuid: `u-${name}` }])))
    await shared.fleet.store(report)
    const capacity = createCapacityStore(shared.database)
    const usages = (await capacity.listDevices(shared.fleet.nodeId)).map(({ id, nodeId }) => {
      return { id, nodeId, status: 'ok', totalBytes: 3, freeBytes: 2, availableBytes: 1, time: 1, isStatusNew: true }
    })
    const rounds = Array.from({ length: 15 }, (_, i) => i)
    await Promise.all([
      ...rounds.map(() => shared.fleet.store(report)),
      ...rounds.map((i) => capacity.updateUsage(i % 2 === 0 ? usages : usages.toReversed())),
    ])
    expect(await shared.fleet.devices()).toHaveLength(20)
  })

  it('are not taken from a node of another cluster', async () => {
    const strange = await addNode(shared.database, await addCluster(shared.database), { state: 'online' })
    await shared.fleet.store(inventory({ d1: { uuid: 'u1' } }))
    await shared.fleet.store(inventory({ d1: empty }))
    const before = await shared.fleet.idsByName()
    await shared.fleet.store(inventory({ d1: { uuid: 'u1' } }), strange)
    expect(await shared.fleet.idsByName()).toEqual(before)
  })
})
