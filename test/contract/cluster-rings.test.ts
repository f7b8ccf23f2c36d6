import type { Inventory, InventoryDeviceRing } from '@roost/api-types/agent'
import { beforeAll, describe, expect, it } from 'vitest'
import { addCluster, addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { useApi } from '../support/http/shared-api.js'

const api = await useApi()
const [good, cut] = ['a'.repeat(32), 'c'.repeat(32)]
const ring = { name: 'object', md5: good, version: 7, devices: 3, partitions: 64, replicas: 2 }
const facts = { balance: 1.5, dispersion: 7.25, regions: 1, zones: 2, weight: 240, modified: 1_795_000_000 }

let cluster = 0
let nodes: readonly number[] = []
beforeAll(async () => {
  cluster = await addCluster(api.database)
  await addPolicy(api.database, cluster, 0, 'gold')
  nodes = [
    await storageNode('one', { rings: [{ ...ring, ...facts }], hash_path_digest: 'd1' }),
    // Its agent is of an earlier release.
    await storageNode('two', { rings: [ring] }),
    await storageNode('three', {
      rings: [{ ...ring, ...facts, modified: 1_794_000_000, min_part_hours: 24 }],
      hash_path_digest: 'd1',
    }),
  ]
})

function storageNode(hostname: string, more: Partial<Inventory>): Promise<number> {
  const inventory = { ...simulatedInventory(hostname), ...more }
  return addNode(api.database, cluster, { hostname, state: 'online', lastSeen: new Date(), inventory })
}

const health = async () => (await api.get(`/api/v1/clusters/${cluster}/health/`)).body
const uri = (resource: string, id: number | undefined) => `/api/v1/${resource}/${id}/`

interface Coded {
  readonly code: string
}
const codes = ({ reasons }: { readonly reasons: readonly Coded[] }) => reasons.map(({ code }) => code)

describe('the health of a cluster', () => {
  it('has the facts of each ring, and when it was written first', async () => {
    const found = await health()
    const { modified: _, ...shown } = facts
    expect(found.rings).toEqual([
      {
        name: 'object',
        agree: true,
        copies: [
          {
            md5: good,
            version: 7,
            nodes: nodes.map((id) => uri('nodes', id)),
            devices: 3,
            partitions: 64,
            replicas: 2,
            ...shown,
            next_part_power: null,
            min_part_hours: 24,
            modified: new Date(1_794_000_000_000).toISOString(),
          },
        ],
      },
    ])
    expect(found).toMatchObject({ swift_conf_agree: true, swift_conf: [{ digest: 'd1', nodes: { length: 2 } }] })
    expect(codes(found)).toEqual([])
  })

  it('finds a node with another hash suffix, and a ring that was cut, until both are repaired', async () => {
    const short = { ...ring, md5: cut, replicas: 1.5 }
    const id = await storageNode('four', { rings: [short], hash_path_digest: 'd2' })
    const found = await health()
    expect(found).toMatchObject({ verdict: 'critical', rings_agree: false, swift_conf_agree: false })
    expect(found.reasons).toMatchObject([
      { code: 'ring_mismatch', node: uri('nodes', id) },
      { code: 'swift_conf_mismatch', subject: 'four', node: uri('nodes', id) },
      {
        code: 'ring_short',
        subject: 'object',
        node: uri('nodes', id),
        message: expect.stringContaining('object.ring.gz of four has 96 partitions (counting each replica); that of 3'),
      },
    ])
    const inventory = { ...simulatedInventory('four'), rings: [ring], hash_path_digest: 'd1' }
    await api.database.prisma.node.update({ where: { id }, data: { inventory } })
    expect(codes(await health())).toEqual([])
    await api.database.prisma.node.delete({ where: { id } })
  })

  it('finds an increase of the part power that is not finished', async () => {
    const id = nodes[0] ?? 0
    const save = (more: object) => {
      const inventory = {
        ...simulatedInventory('one'),
        rings: [{ ...ring, ...facts, ...more }],
        hash_path_digest: 'd1',
      }
      return api.database.prisma.node.update({ where: { id }, data: { inventory } })
    }
    await save({ next_part_power: 7 })
    const found = await health()
    expect(found).toMatchObject({ verdict: 'warn', rings: [{ copies: [{ next_part_power: 7 }] }] })
    expect(found.reasons).toMatchObject([{ code: 'part_power_increase', subject: 'object', node: null }])
    expect(found.reasons[0].message).toContain('from 6 to 7')
    await save({})
    expect(codes(await health())).toEqual([])
  })

  it('has the drained devices, their bytes, and the usable capacity of policies', async () => {
    const rings = (weight: number): InventoryDeviceRing[] => [
      { ring: 'object', region: 1, zone: 1, weight, partitions: 0, replication_ip: '10.0.0.1', replication_port: 6200 },
    ]
    const usage = { totalBytes: 1_000n, freeBytes: 700n, availableBytes: 600n }
    const drained = await addDevice(api.database, cluster, nodes[0] ?? 0, { name: 'd1', rings: rings(0), ...usage })
    const inUse = await addDevice(api.database, cluster, nodes[0] ?? 0, { name: 'd2', rings: rings(0.5), ...usage })
    await addDevice(api.database, cluster, nodes[0] ?? 0, { name: 'd3', ...usage })
    const { id: policyId } = await api.database.prisma.storagePolicy.findFirstOrThrow({ where: { clusterId: cluster } })
    await api.database.prisma.storagePolicy.update({ where: { id: policyId }, data: { replicas: 2 } })
    const assigned = [drained, inUse].map((deviceId) => ({ deviceId, policyId }))
    await api.database.prisma.devicePolicy.createMany({ data: assigned })
    await api.context.capacity.intake.devicesChanged(nodes[0] ?? 0)
    expect(await health()).toMatchObject({
      drained: [
        { device: uri('devices', drained), node: uri('nodes', nodes[0]), name: 'd1', raw_bytes: 900, used_bytes: 300 },
      ],
      drained_bytes: 900,
      policies: [{ index: 0, replicas: 2, ec: null, raw_bytes: 1_800, usable_bytes: 900 }],
    })
  })
})
