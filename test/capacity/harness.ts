import { createDayStore } from '@roost/control-plane/dist/capacity/day-store.js'
import { createForecastStore } from '@roost/control-plane/dist/capacity/forecast-store.js'
import { createCapacity } from '@roost/control-plane/dist/capacity/feature.js'
import type { CapacityFeature } from '@roost/control-plane/dist/capacity/feature.js'
import { createCapacityStore } from '@roost/control-plane/dist/capacity/store.js'
import { beforeEach } from 'vitest'
import { addCluster, addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'
import type { TestDatabase } from '../support/database/database.js'

/** A row of usage. */
interface DeviceUsage {
  readonly totalBytes: bigint | null
  readonly freeBytes: bigint | null
  readonly availableBytes: bigint | null
  readonly lastSeen: Date | null
}

type Values = readonly [total: number, free: number, available: number]

/** The capacity of a new cluster with a node and two policies for each test, on a real database. */
export function useCapacity(database: TestDatabase) {
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
  const at = { clusterId: 0, nodeId: 0, gold: 0, silver: 0, capacity: build() }
  beforeEach(async () => {
    at.clusterId = await addCluster(database)
    at.nodeId = await addNode(database, at.clusterId)
    at.silver = await addPolicy(database, at.clusterId, 1, 'silver')
    at.gold = await addPolicy(database, at.clusterId, 0, 'gold')
    at.capacity = build()
  })
  return {
    at,
    build,
    device: (agentKey: string, policyIds: readonly number[], usage?: Values) =>
      addDevice(database, at.clusterId, at.nodeId, {
        agentKey,
        totalBytes: usage?.[0] ?? null,
        freeBytes: usage?.[1] ?? null,
        availableBytes: usage?.[2] ?? null,
        policies: { create: policyIds.map((policyId) => ({ policyId })) },
      }),
    /** Reports devices by their keys: the bytes of each, or its status. */
    report: (time: number, devices: Readonly<Record<string, Values | string>>, reporter = at.nodeId) => {
      at.capacity.intake.deviceUsage(reporter, {
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
    },
    stored: async (agentKey: string): Promise<DeviceUsage> =>
      database.prisma.deviceUsage.findFirstOrThrow({ where: { device: { nodeId: at.nodeId, agentKey } } }),
  }
}
