import type { DeviceUsageMessage } from '@roost/api-types/agent'
import type { LiveDevices } from './live-devices.js'
import type { CapacityStore, StoredDevice } from './store.js'
import type { UsageWriter } from './usage-writer.js'

/** What capacity takes from the stream and from whoever stores inventories. */
export interface CapacityIntake {
  /** The next answer includes the usage; it is stored soon after. */
  deviceUsage(nodeId: number, message: DeviceUsageMessage): void
  /** To be called when the devices of a node were stored or changed. */
  devicesChanged(nodeId: number): Promise<void>
  /** The node was removed. */
  forget(nodeId: number): void
  /** Reads all devices from the database. */
  load(): Promise<void>
  /** Drops nodes that were removed by another process. */
  refresh(): Promise<void>
  /** Stores all usage that is newer than that of the database. */
  storeAll(): Promise<void>
}

interface CapacityIntakeOptions {
  readonly live: LiveDevices
  readonly store: CapacityStore
  readonly writer: UsageWriter
}

export function createCapacityIntake({ live, store, writer }: CapacityIntakeOptions): CapacityIntake {
  const devicesChanged = async (nodeId: number) => {
    // What is in memory is newer than what would be read.
    writer.add(live.removeUnstored(nodeId))
    await writer.flush()
    live.put(nodeId, await store.listDevices(nodeId))
  }
  return {
    deviceUsage(nodeId, { time, devices }) {
      writer.add(live.report(nodeId, time, devices))
    },
    devicesChanged,
    forget: (nodeId) => live.put(nodeId, []),
    async load() {
      for (const [nodeId, devices] of byNode(await store.listDevices())) live.put(nodeId, devices)
    },
    async storeAll() {
      writer.add(live.removeUnstored())
      await writer.flush()
    },
    async refresh() {
      const there = new Set(await store.listNodeIds())
      for (const nodeId of live.nodeIds) if (!there.has(nodeId)) live.put(nodeId, [])
    },
  }
}

function byNode(devices: readonly StoredDevice[]): ReadonlyMap<number, readonly StoredDevice[]> {
  const groups = new Map<number, StoredDevice[]>()
  for (const device of devices) {
    const group = groups.get(device.nodeId)
    if (group) group.push(device)
    else groups.set(device.nodeId, [device])
  }
  return groups
}
