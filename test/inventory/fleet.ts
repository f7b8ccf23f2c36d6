import type { Inventory, InventoryDevice, InventoryPolicy } from '@roost/api-types/agent'
import { createLog } from '@roost/control-plane/dist/lifecycle/log.js'
import { createInventoryStore } from '@roost/control-plane/dist/nodes/inventory-store.js'
import { createInventoryIntake } from '@roost/control-plane/dist/nodes/inventory.js'
import type { InventoryIntake } from '@roost/control-plane/dist/nodes/inventory.js'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'

export const day = 86_400_000
export const noon = Date.UTC(2026, 0, 1, 12)

/** Where nothing is mounted. */
export const empty: Partial<InventoryDevice> = {
  status: 'unmounted',
  figures: null,
  mount_point: null,
  fs_type: null,
  size_bytes: null,
}

/** An inventory of a Swift node with a device at each of the slots, mounted unless it says otherwise. */
export function inventory(
  slots: Readonly<Record<string, Partial<InventoryDevice>>> | null,
  more: Partial<Inventory> = {},
): Inventory {
  const base = simulatedInventory('store-1', 1)
  const [pattern] = base.devices as [InventoryDevice]
  const devices = Object.entries(slots ?? {}).map(([name, slot]) => ({
    ...pattern,
    key: `10.0.0.1:6200/${name}`,
    name,
    uuid: null,
    serial: null,
    ...slot,
  }))
  return { ...base, devices: slots && devices, ...more }
}

export function policy(index: number, name: string): InventoryPolicy {
  return { index, name, aliases: [], is_default: index === 0, is_deprecated: false, type: 'replication' }
}

/** Two nodes of a cluster, and the intake of their inventories. */
export class Fleet {
  readonly database: TestDatabase
  readonly clusterId: number
  readonly nodeId: number
  readonly otherId: number
  readonly intake: InventoryIntake
  /** The nodes for whose devices the other features were notified. */
  changed: number[] = []
  readonly warnings: string[] = []
  now = noon
  sequence = 0

  private constructor(database: TestDatabase, clusterId: number, nodeId: number, otherId: number) {
    this.database = database
    this.clusterId = clusterId
    this.nodeId = nodeId
    this.otherId = otherId
    this.intake = createInventoryIntake({
      store: createInventoryStore(database, async () => false),
      devicesChanged: async (id) => void this.changed.push(id),
      sendDesired: async () => {},
      log: createLog({ level: 'warn', out: { write: (line: string) => void this.warnings.push(line) } as never }),
      now: () => this.now,
    })
  }

  static async open(database: TestDatabase): Promise<Fleet> {
    const clusterId = await addCluster(database)
    const nodeId = await addNode(database, clusterId, { state: 'online' })
    return new Fleet(database, clusterId, nodeId, await addNode(database, clusterId, { state: 'online' }))
  }

  async store(report: Inventory, nodeId = this.nodeId): Promise<void> {
    await this.intake.accept(nodeId, { type: 'inventory', sequence: ++this.sequence, inventory: report })
  }

  async devices(nodeId = this.nodeId) {
    const rows = await this.database.prisma.device.findMany({
      where: { nodeId },
      orderBy: { id: 'asc' },
      include: { usage: true, policies: { include: { policy: true } } },
    })
    return rows.map(({ usage, ...row }) => ({
      ...usage,
      ...row,
      policies: row.policies.map((one) => one.policy.name).toSorted(),
    }))
  }

  /** Returns the id of the device at each slot. */
  async idsByName(nodeId = this.nodeId): Promise<Readonly<Record<string, number>>> {
    const here = (await this.devices(nodeId)).filter(({ agentKey }) => agentKey !== null)
    return Object.fromEntries(here.map((device) => [device.name, device.id]))
  }

  async policyNames(): Promise<readonly string[]> {
    const where = { clusterId: this.clusterId }
    const rows = await this.database.prisma.storagePolicy.findMany({ where, orderBy: { index: 'asc' } })
    return rows.map(({ name }) => name)
  }
}

/** One database for all tests of the calling file, and a fleet for each test. */
export function shareFleet() {
  const shared = {} as { database: TestDatabase; fleet: Fleet }
  beforeAll(async () => {
    shared.database = await createTestDatabase()
  })
  afterAll(() => shared.database.drop())
  beforeEach(async () => {
    shared.fleet = await Fleet.open(shared.database)
  })
  return shared
}
