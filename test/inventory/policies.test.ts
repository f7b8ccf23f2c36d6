import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { addNode } from '../support/agents/fleet-rows.js'
import { Fleet, inventory, policy } from './fleet.js'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const ring = {
  name: 'object',
  version: 7,
  md5: 'd41d8cd98f00b204e9800998ecf8427e',
  devices: 1,
  partitions: 64,
  replicas: 1,
}

let fleet: Fleet
beforeEach(async () => {
  fleet = await Fleet.open(database)
})

describe('policies', () => {
  it('are renamed in slot', async () => {
    await fleet.store(inventory({ d1: { uuid: 'u1' } }))
    const before = await database.prisma.storagePolicy.findFirstOrThrow({ where: { clusterId: fleet.clusterId } })
    await fleet.store(inventory({ d1: { uuid: 'u1' } }, { policies: [policy(0, 'platinum')] }))
    expect(
      await database.prisma.storagePolicy.findFirstOrThrow({ where: { clusterId: fleet.clusterId } }),
    ).toMatchObject({
      id: before.id,
      name: 'platinum',
    })
    expect(await fleet.devices()).toMatchObject([{ policies: ['platinum'] }])
  })

  it('have the replicas and the erasure code that most nodes report', async () => {
    const code = {
      type: 'isa_l_rs_vand',
      data_fragments: 4,
      parity_fragments: 2,
      duplication_factor: 1,
      segment_bytes: 9,
    }
    const ec = { ...policy(0, 'ec'), type: 'erasure_coding' }
    const found = () => database.prisma.storagePolicy.findFirstOrThrow({ where: { clusterId: fleet.clusterId } })
    // An agent of an earlier release reports no code.
    await fleet.store(inventory({}, { policies: [ec], rings: [{ ...ring, replicas: 6 }] }))
    expect(await found()).toMatchObject({ replicas: 6, ec: null })
    const third = await addNode(database, fleet.clusterId)
    for (const nodeId of [fleet.otherId, third])
      await fleet.store(inventory({}, { policies: [{ ...ec, ec: code }], rings: [{ ...ring, replicas: 6 }] }), nodeId)
    expect(await found()).toMatchObject({ replicas: 6, ec: code })
    const other = { ...ec, ec: { ...code, parity_fragments: 9 } }
    await fleet.store(inventory({}, { policies: [other], rings: [{ ...ring, replicas: 13 }] }))
    expect(await found()).toMatchObject({ replicas: 6, ec: code })
  })

  it('go when the last node that named them names them no longer', async () => {
    const both = [policy(0, 'gold'), policy(1, 'silver')]
    await fleet.store(inventory({ d1: { uuid: 'u1', policies: [1] } }, { policies: both }))
    await fleet.store(inventory({ d1: { uuid: 'u2', policies: [1] } }, { policies: both }), fleet.otherId)
    await fleet.store(inventory({ d1: { uuid: 'u1', policies: [0] } }, { policies: [policy(0, 'gold')] }))
    expect(await fleet.policyNames()).toEqual(['gold', 'silver'])
    await fleet.store(
      inventory({ d1: { uuid: 'u2', policies: [0] } }, { policies: [policy(0, 'gold')] }),
      fleet.otherId,
    )
    expect(await fleet.policyNames()).toEqual(['gold'])
  })

  it('are called what nodes with rings call them, whatever a node without rings declares', async () => {
    const declared = inventory(
      { d1: { uuid: 'u2' } },
      { policies: [policy(0, 'default'), policy(1, 'more')], rings: [] },
    )
    await fleet.store(declared, fleet.otherId)
    expect(await fleet.policyNames()).toEqual(['default', 'more'])
    await fleet.store(inventory({ d1: { uuid: 'u1' } }, { policies: [policy(0, 'gold')], rings: [ring] }))
    expect(await fleet.policyNames()).toEqual(['gold', 'more'])
    await fleet.store(declared, fleet.otherId)
    expect(await fleet.policyNames()).toEqual(['gold', 'more'])
    expect(await fleet.devices(fleet.otherId)).toMatchObject([{ policies: ['gold'] }])
  })

  it('are renamed by nodes without rings where no node has any', async () => {
    await fleet.store(inventory({}, { policies: [policy(0, 'default')], rings: [] }))
    await fleet.store(inventory({}, { policies: [policy(0, 'disks')], rings: [] }))
    expect(await fleet.policyNames()).toEqual(['disks'])
  })

  it.each([
    ['with rings', [ring]],
    ['without rings', []],
  ])('are renamed when most nodes %s name them so, not by one of them', async (_, rings) => {
    const third = await addNode(database, fleet.clusterId)
    const named = (name: string) => inventory({}, { policies: [policy(0, name)], rings })
    await fleet.store(named('gold'))
    await fleet.store(named('gold'), fleet.otherId)
    await fleet.store(named('gold'), third)
    await fleet.store(named('stolen'), third)
    expect(await fleet.policyNames()).toEqual(['gold'])
    await fleet.store(named('platinum'))
    expect(await fleet.policyNames()).toEqual(['gold'])
    await fleet.store(named('platinum'), fleet.otherId)
    expect(await fleet.policyNames()).toEqual(['platinum'])
  })

  it('stay when a node knows of none', async () => {
    await fleet.store(inventory({ d1: { uuid: 'u1' } }))
    await fleet.store(inventory({}, { policies: [] }), fleet.otherId)
    expect(await fleet.policyNames()).toEqual(['gold'])
  })
})
