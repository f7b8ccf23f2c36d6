import type { DeviceUsageMessage, FilesystemSpace } from '@roost/api-types/agent'
import { createDeviceColumns, policySet, usageOf } from '@roost/capacity-core'
import type { DeviceColumns, PolicySetCapacity, Usage } from '@roost/capacity-core'
import type { DeviceUsage, StoredDevice } from './store.js'

type ReportedDevice = DeviceUsageMessage['devices'][number]

/** All devices with their last usage, in memory. Answers are sums of these. */
export interface LiveDevices {
  readonly nodeIds: Iterable<number>
  capacityOf(clusterId: number): readonly PolicySetCapacity[]
  has(clusterId: number): boolean
  /** Replaces what is held of a node by what the database has. */
  put(nodeId: number, devices: readonly StoredDevice[]): void
  /** Applies the usage in a report; returns what is to be stored now. Ignores devices that no inventory named. */
  report(nodeId: number, time: number, devices: readonly ReportedDevice[]): DeviceUsage[]
  /** Returns the usage that is newer than what is stored, of a node or of all, and counts it as stored. */
  removeUnstored(nodeId?: number): DeviceUsage[]
  /** Returns the usage of the device as it is now. */
  newest(usage: DeviceUsage): DeviceUsage
  /** Returns the last usage of a device, which is newer than that of the database; undefined if no inventory names it now. */
  usageOf(id: number): LiveUsage | undefined
  /** Clusters that have, or had, a device. */
  clusterIds(): Iterable<number>
  /** Of all clusters, or of one. */
  devices(clusterId?: number): Iterable<CountedDevice>
  /** Returns the last reading of a device; undefined if its node does not report it now. */
  readonly readingOf: (id: number) => DeviceReading | undefined
}

/** A device with its usage, if that counts. */
export interface DeviceReading {
  /** Each once and in order, so that they are the key of a set. */
  readonly policies: readonly number[]
  readonly status: string
  readonly usage: Usage | null
  /** Unix seconds; null before the first. */
  readonly time: number | null
}

/** A device whose filesystem counts, with its last reading. */
export interface CountedDevice {
  readonly id: number
  readonly clusterId: number
  /** Each once and in order, so that they are the key of a set. */
  readonly policies: readonly number[]
  readonly usage: Usage
  /** Unix seconds. */
  readonly time: number
}

export interface LiveUsage {
  readonly status: string
  readonly figures: FilesystemSpace | null
  readonly time: number | null
}

interface LiveDevice {
  readonly id: number
  readonly nodeId: number
  readonly clusterId: number
  readonly policies: readonly number[]
  readonly row: number
  status: string
  figures: FilesystemSpace | null
  /** Time of the last report, in Unix seconds; null before the first. */
  time: number | null
  /** Time of the report that was stored last, in Unix seconds. */
  storedAt: number
}

/**
 * The usage of a node's devices is stored once in so many seconds: it was the largest load of the database when each report was.
 * Answers come from memory, so that only the control plane's own sudden end shows the difference.
 */
const storeEverySeconds = 300

/** Nodes store at different moments, so that a fleet that connects at once does not write at once for ever. */
const storedApartSeconds = 7

/** A device in one of these states has no filesystem that anybody could fill. */
const uncounted = new Set(['unmounted', 'missing', 'failed'])

export function createLiveDevices(): LiveDevices {
  const clusters = new Map<number, DeviceColumns>()
  /** By node, then by the agent's key, or by id where the agent has none for it. */
  const nodes = new Map<number, Map<string | number, LiveDevice>>()
  const byId = new Map<number, LiveDevice>()

  const columnsOf = (clusterId: number): DeviceColumns => {
    const columns = clusters.get(clusterId) ?? createDeviceColumns()
    clusters.set(clusterId, columns)
    return columns
  }
  const drop = (nodeId: number) => {
    for (const device of nodes.get(nodeId)?.values() ?? []) {
      columnsOf(device.clusterId).remove(device.row)
      // A device that moved to another node is that node's already.
      if (byId.get(device.id) === device) byId.delete(device.id)
    }
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
      const live = devices.map((device) => liveDevice(device, columnsOf(device.clusterId)))
      nodes.set(nodeId, new Map(devices.map(({ key, id }, i) => [key ?? id, live[i] as LiveDevice])))
      for (const device of live) byId.set(device.id, device)
    },
    report(nodeId, time, reported) {
      const known = nodes.get(nodeId)
      return reported.flatMap((one) => {
        const device = known?.get(one.key)
        if (!device) return []
        const status = statusOf(device, one)
        const isStatusNew = device.status !== status
        if (update(device, { ...one, status }, time)) columnsOf(device.clusterId).change(device.row, counted(device))
        if (!isStatusNew && storeIntervalOf(nodeId, time) === storeIntervalOf(nodeId, device.storedAt)) return []
        device.storedAt = time
        return [stored(device, time, isStatusNew)]
      })
    },
    removeUnstored: (nodeId) => removeUnstored(nodeId === undefined ? byId.values() : nodes.get(nodeId)?.values()),
    newest: (usage) => newest(usage, byId.get(usage.id)),
    usageOf: (id) => byId.get(id),
    clusterIds: () => clusters.keys(),
    devices: (clusterId) => countedDevices(byId.values(), clusterId),
    readingOf: (id) => readingOf(byId.get(id)),
  }
}

/** Returns the number of the interval in which a node's devices are stored once. */
function storeIntervalOf(nodeId: number, time: number): number {
  return Math.floor((time + nodeId * storedApartSeconds) / storeEverySeconds)
}

function* countedDevices(devices: Iterable<LiveDevice>, of?: number): Generator<CountedDevice> {
  for (const device of devices) {
    if (of !== undefined && device.clusterId !== of) continue
    const { figures: space } = counted(device)
    if (space === null || device.time === null || device.policies.length === 0) continue
    const { id, clusterId, policies, time } = device
    yield { id, clusterId, policies, usage: usageOf(space), time }
  }
}

function readingOf(device: LiveDevice | undefined): DeviceReading | undefined {
  if (device === undefined) return undefined
  const { policies, status, time } = device
  const { figures: space } = counted(device)
  return { policies, status, usage: space === null ? null : usageOf(space), time }
}

function liveDevice(stored: StoredDevice, columns: DeviceColumns): LiveDevice {
  const { id, nodeId, clusterId, status, time } = stored
  const policies = policySet(stored.policies)
  const space = spaceOf(stored)
  const device = { id, nodeId, clusterId, policies, status, figures: space, time, storedAt: time ?? -Infinity }
  return { ...device, row: columns.add(counted(device)) }
}

function spaceOf({ totalBytes, freeBytes, availableBytes }: StoredDevice): FilesystemSpace | null {
  if (totalBytes === null || freeBytes === null || availableBytes === null) return null
  return { total_bytes: totalBytes, free_bytes: freeBytes, available_bytes: availableBytes }
}

/** The agent does not know that a filesystem without a ring was in one before. */
function statusOf(device: LiveDevice, { status }: ReportedDevice): string {
  return status === 'unmanaged' && device.status === 'retired' ? 'retired' : status
}

type Reading = Pick<ReportedDevice, 'figures'> & { readonly status: string }

/** Returns false when nothing that counts has changed. Usage that could not be read leaves the last values unchanged. */
function update(device: LiveDevice, reported: Reading, time: number): boolean {
  const figures = reported.figures ?? device.figures
  const isSame = device.status === reported.status && sameSpace(device.figures, figures)
  device.status = reported.status
  device.figures = figures
  device.time = time
  return !isSame
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

function stored({ id, nodeId, status, figures: space }: LiveDevice, time: number, isStatusNew: boolean): DeviceUsage {
  return {
    id,
    nodeId,
    status,
    totalBytes: space?.total_bytes ?? null,
    freeBytes: space?.free_bytes ?? null,
    availableBytes: space?.available_bytes ?? null,
    time,
    isStatusNew,
  }
}

function removeUnstored(devices: Iterable<LiveDevice> = []): DeviceUsage[] {
  return [...devices].flatMap((device) => {
    if (device.time === null || device.time === device.storedAt) return []
    device.storedAt = device.time
    return [stored(device, device.time, false)]
  })
}

function newest(usage: DeviceUsage, device: LiveDevice | undefined): DeviceUsage {
  return device?.time == null ? usage : stored(device, device.time, usage.isStatusNew)
}
