import { createNodeStore } from '@roost/control-plane/dist/nodes/store.js'
import { describe, expect, it } from 'vitest'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { empty, inventory, policy, shareFleet } from './fleet.js'

const shared = shareFleet()

describe('an inventory', () => {
  it('fills in the node, its role, its policies and its devices', async () => {
    const base = simulatedInventory('store-1')
    await shared.fleet.store(
      inventory(
        { d1: { uuid: 'u1', policies: [0, 1] }, d2: { ...empty, policies: [1] } },
        {
          policies: [policy(0, 'gold'), policy(1, 'silver')],
          roles: { ...base.roles, runs_object: true },
          facing: { cluster_ip: '10.0.0.1', outward_ip: '192.0.2.1', replication_ip: '10.1.0.1' },
          addresses: ['127.0.0.1', '10.0.0.1', '192.0.2.1', '10.9.0.1'].map((address) => ({
            interface: address.startsWith('127') ? 'lo' : 'eth0',
            address,
            family: 'ipv4',
            mac: null,
          })),
        },
      ),
    )
    const node = await shared.database.prisma.node.findUniqueOrThrow({
      where: { id: shared.fleet.nodeId },
      include: { role: true },
    })
    expect(node).toMatchObject({
      hostname: 'store-1',
      cpuCores: 4,
      memoryBytes: 8_000_000_000n,
      clusterFacingIp: '10.0.0.1',
      outwardFacingIp: '192.0.2.1',
      replicationFacingIp: '10.1.0.1',
      otherIps: ['10.9.0.1'],
      role: { runsObject: true, runsProxy: false },
    })
    expect(await shared.fleet.devices()).toMatchObject([
      { name: 'd1', fsUuid: 'u1', status: 'ok', totalBytes: 4_000_000_000_000n, policies: ['gold', 'silver'] },
      { name: 'd2', fsUuid: null, status: 'unmounted', totalBytes: null, lastSeen: null, policies: ['silver'] },
    ])
    expect(shared.fleet.changed).toEqual([shared.fleet.nodeId])
  })

  it('leaves what an operator has set', async () => {
    await shared.database.prisma.node.update({
      where: { id: shared.fleet.nodeId },
      data: { outwardFacingIp: '203.0.113.9', operatorFields: ['outward_facing_ip', 'runs_gateway'] },
    })
    const base = simulatedInventory('store-1')
    const facing = { cluster_ip: '10.0.0.1', outward_ip: '192.0.2.1', replication_ip: null }
    await shared.fleet.store({ ...base, facing, roles: { ...base.roles, runs_gateway: true, runs_proxy: true } })
    const node = await shared.database.prisma.node.findUniqueOrThrow({
      where: { id: shared.fleet.nodeId },
      include: { role: true },
    })
    expect(node).toMatchObject({ clusterFacingIp: '10.0.0.1', outwardFacingIp: '203.0.113.9' })
    expect(node.role).toMatchObject({ runsGateway: false, runsProxy: true })
  })

  it('keeps a node with shares a gateway, also while their servers are down', async () => {
    const base = simulatedInventory('gateway-1')
    const gateway = async (runs: boolean) => {
      await shared.fleet.store({ ...base, roles: { ...base.roles, runs_gateway: runs } })
      return (await shared.database.prisma.nodeRole.findUniqueOrThrow({ where: { nodeId: shared.fleet.nodeId } }))
        .runsGateway
    }
    expect([await gateway(true), await gateway(false), await gateway(true)]).toEqual([true, false, true])
    const { clusterId } = await shared.database.prisma.node.findUniqueOrThrow({ where: { id: shared.fleet.nodeId } })
    const identity = { nodeId: shared.fleet.nodeId, clusterId, name: 'docs', nameKey: 'docs', exportNumber: 1 }
    const settings = { protocol: 'nfs', container: 'documents', accessMode: 'rw', enabled: true, uploadDelay: 0 }
    const rest = { writeRetain: true, noAppleDoubles: true, clientsAllowedList: '', options: {} }
    const { id } = await shared.database.prisma.gatewayShare.create({ data: { ...identity, ...settings, ...rest } })
    expect(await gateway(false)).toBe(true)
    await shared.database.prisma.gatewayShare.delete({ where: { id } })
    expect(await gateway(false)).toBe(false)
  })

  it('is taken once: a repetition, or an older one, changes nothing', async () => {
    await shared.fleet.store(inventory({ d1: { uuid: 'u1' } }))
    await shared.fleet.intake.accept(shared.fleet.nodeId, {
      type: 'inventory',
      sequence: shared.fleet.sequence,
      inventory: inventory({}),
    })
    await shared.fleet.intake.accept(shared.fleet.nodeId, {
      type: 'inventory',
      sequence: shared.fleet.sequence - 1,
      inventory: inventory({}),
    })
    expect(await shared.fleet.idsByName()).toHaveProperty('d1')
    expect(shared.fleet.changed).toEqual([shared.fleet.nodeId])
  })

  it('that arrives twice at the same time is stored once', async () => {
    const message = {
      type: 'inventory' as const,
      sequence: ++shared.fleet.sequence,
      inventory: inventory({ d1: { uuid: 'u1' } }),
    }
    await Promise.all([
      shared.fleet.intake.accept(shared.fleet.nodeId, message),
      shared.fleet.intake.accept(shared.fleet.nodeId, message),
    ])
    expect(await shared.fleet.devices()).toHaveLength(1)
    expect(shared.fleet.changed).toEqual([shared.fleet.nodeId])
  })

  it('of a damaged ring keeps devices, policies and the role of a storage node', async () => {
    const roles = { runs_account_container: true, runs_gateway: false, runs_object: true, runs_proxy: false }
    await shared.fleet.store(inventory({ d1: { uuid: 'u1' } }, { roles }))
    const none = { runs_account_container: false, runs_gateway: true, runs_object: false, runs_proxy: false }
    await shared.fleet.store(inventory(null, { policies: null, roles: none }))
    expect(await shared.fleet.devices()).toMatchObject([{ name: 'd1', status: 'ok', policies: ['gold'] }])
    expect(await shared.database.prisma.nodeRole.findUnique({ where: { nodeId: shared.fleet.nodeId } })).toMatchObject({
      runsAccountContainer: true,
      runsGateway: true,
      runsObject: true,
    })
  })

  it('that names a device twice is refused in words, and changes nothing', async () => {
    const twice = inventory({ d1: {}, d2: { key: '10.0.0.1:6200/d1' } })
    await expect(shared.fleet.store(twice)).rejects.toThrow('The inventory lists the device 10.0.0.1:6200/d1 twice.')
    expect(await shared.fleet.devices()).toEqual([])
  })

  it('of a node that was removed is refused in words', async () => {
    await expect(shared.fleet.store(inventory({}), 999_999)).rejects.toThrow('This node was removed.')
  })

  it('tells an operator of each problem once', async () => {
    const problem = { code: 'duplicate_fs_uuid', subject: 'u1', message: 'two filesystems have one UUID' }
    await shared.fleet.store(inventory({}, { problems: [problem] }))
    await shared.fleet.store(inventory({}, { problems: [problem] }))
    expect(shared.fleet.warnings.filter((line) => line.includes('two filesystems'))).toHaveLength(1)
  })

  it('keeps the number that a problem compares with its limit for the alert, and does not show it on the node', async () => {
    const problem = { code: 'cache_small', severity: 'warning' as const, subject: '/c', message: 'Small.', remedy: '' }
    await shared.fleet.store(inventory({}, { problems: [{ ...problem, value: 500, threshold: 1_024 }] }))
    const where = { id: shared.fleet.nodeId }
    const stored = await shared.database.prisma.node.findUniqueOrThrow({ where, select: { problems: true } })
    expect(stored.problems).toEqual([{ ...problem, value: 500, threshold: 1_024 }])
    expect((await createNodeStore(shared.database).find(shared.fleet.nodeId))?.problems).toEqual([problem])
  })

  it('shows its problems on the node while there are any, and no more than a list can carry', async () => {
    const problemsOf = async () => (await createNodeStore(shared.database).find(shared.fleet.nodeId))?.problems
    const problems = Array.from({ length: 150 }, (_, i) => ({
      code: 'mount_stuck',
      subject: `/d${i}`,
      message: `x${'😀'.repeat(1_000)}`,
    }))
    await shared.fleet.store(inventory({}, { problems }))
    const shown = await problemsOf()
    expect(shown).toHaveLength(100)
    expect(shown?.[0]).toEqual({
      code: 'mount_stuck',
      severity: 'warning',
      subject: '/d0',
      message: `x${'😀'.repeat(499)}`,
      remedy: '',
    })
    await shared.fleet.store(inventory({}))
    expect(await problemsOf()).toEqual([])
  })
})
