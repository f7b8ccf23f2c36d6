import type { DeviceUsageMessage, FilesystemSpace } from '@roost/api-types/agent'
import { createDeviceColumns } from '@roost/capacity-core'
import type { DeviceColumns, PolicySetCapacity } from '@roost/capacity-core'
import type { DeviceUsage, StoredDevice } from './store.js'

type ReportedDevice = DeviceUsageMessage['devices'][number]

/** All devices with their last usage, in memory. Answers are sums of these. */
export interface LiveDevices {
  readonly nodeIds: Iterable<number>
  capacityOf(clusterId: number): readonly PolicySetCapacity[]
  has(clusterId: number): boolean
  /** Replaces what is held of a node by what the database has. */
  put(nodeId: number, devices: readonly StoredDevice[]): void
  /** Applies the usage in a report; returns what is to be stored. Ignores devices that no inventory named. */
  report(nodeId: number, time: number, devices: readonly ReportedDevice[]): DeviceUsage[]
}

interface LiveDevice {
  readonly id: number
  readonly nodeId: number
  readonly clusterId: number
  readonly policies: readonly number[]
  readonly row: number
  status: string
  figures: FilesystemSpace | null
  /** Time of the report that was stored last, in Unix seconds. */
  storedAt: number
}

/** An unchanged device is stored again after so many seconds, so that its `last_seen` tells the truth. */
const storeUnchangedAfter = 60

/** A device in one of these states has no filesystem that anybody could fill. */
const uncounted = new Set(['unmounted', 'missing', 'failed'])

export function createLiveDevices(): LiveDevices {
  const clusters = new Map<number, DeviceColumns>()
  /** By node, then by the agent's key, or by id where the agent has none for it. */
  const nodes = new Map<number, Map<string | number, LiveDevice>>()

  const columnsOf = (clusterId: number): DeviceColumns => {
    const columns = clusters.get(clusterId) ?? createDeviceColumns()
    clusters.set(clusterId, columns)
    return columns
  }
  const drop = (nodeId: number) => {
    for (const { clusterId, row } of nodes.get(nodeId)?.values() ?? []) columnsOf(clusterId).remove(row)
    nodes.delete(nodeId)
  }
  return {
    get nodeIds() {
      return nodes.keys()
    },
    capacityOf: (clusterId) => clusters.get(clusterId)?.capacityByPolicySet() ?? [],
    has: (clusterId) => (clusters.get(clusterId)?.size ?? 0) > 0,
    put(nodeId, devices) {
      drop(nodeId)
      if (devices.length === 0) return
      nodes.set(
        nodeId,
        new Map(devices.map((device) => [device.key ?? device.id, liveDevice(device, columnsOf(device.clusterId))])),
      )
    },
    report(nodeId, time, reported) {
      const known = nodes.get(nodeId)
      return reported.flatMap((one) => {
        const device = known?.get(one.key)
        if (!device || !update(device, one, time)) return []
        columnsOf(device.clusterId).change(device.row, counted(device))
        return [usageOf(device, time)]
      })
    },
  }
}

function liveDevice(stored: StoredDevice, columns: DeviceColumns): LiveDevice {
  const { id, nodeId, clusterId, policies, status } = stored
  const device = { id, nodeId, clusterId, policies, status, figures: spaceOf(stored), storedAt: -Infinity }
  return { ...device, row: columns.add(counted(device)) }
}

function spaceOf({ totalBytes, freeBytes, availableBytes }: StoredDevice): FilesystemSpace | null {
  if (totalBytes === null || freeBytes === null || availableBytes === null) return null
  return { total_bytes: totalBytes, free_bytes: freeBytes, available_bytes: availableBytes }
}

/** Returns false when the report has no change. Usage that could not be read leaves the last values unchanged. */
function update(device: LiveDevice, reported: ReportedDevice, time: number): boolean {
  const figures = reported.figures ?? device.figures
  const same = device.status === reported.status && sameSpace(device.figures, figures)
  if (same && time - device.storedAt < storeUnchangedAfter) return false
  device.status = reported.status
  device.figures = figures
  device.storedAt = time
  return true
}

function sameSpace(a: FilesystemSpace | null, b: FilesystemSpace | null): boolean {
  return (
    a?.total_bytes === b?.total_bytes && a?.free_bytes === b?.free_bytes && a?.available_bytes === b?.available_bytes
  )
}

function counted({ policies, status, figures: space }: Pick<LiveDevice, 'policies' | 'status' | 'figures'>) {
  if (!space || uncounted.has(status)) return { policies, figures: null }
  const { total_bytes: totalBytes, free_bytes: freeBytes, available_bytes: availableBytes } = space
  return { policies, figures: { totalBytes, freeBytes, availableBytes } }
}

function usageOf({ id, nodeId, status, figures: space }: LiveDevice, time: number): DeviceUsage {
  return {
    id,
    nodeId,
    status,
    totalBytes: space?.total_bytes ?? null,
    freeBytes: space?.free_bytes ?? null,
    availableBytes: space?.available_bytes ?? null,
    time,
  }
}
