import type { CapacityService, MetricService } from '@roost/api-types/rpc'
import { bytesPerTb } from '@roost/capacity-core'
import { printable } from '@roost/runtime'
import { Gauge, Registry } from 'prom-client'
import type { DeviceReading } from '../capacity/live-devices.js'
import { deviceLines } from './device-lines.js'
import type { DeviceSpace } from './device-lines.js'
import { shareLines } from './share-lines.js'
import type { DeviceLabels, FleetMetricStore } from './store.js'

/** The capacity of clusters, and the last readings of single devices. */
interface Capacity {
  readonly service: Pick<CapacityService, 'ofCluster'>
  readonly readingOf: (deviceId: number) => DeviceReading | undefined
}

/** Returns the metrics of nodes, devices, shares and capacity as text. They are read again each time, so that removed nodes are not in the answer. */
export async function fleetText(store: FleetMetricStore, capacity: Capacity, metrics: Polls): Promise<string> {
  const registry = new Registry()
  await Promise.all([addCounts(registry, store), addCapacity(registry, store, capacity.service)])
  const devices = await deviceLines(withSpace(store.listDevices(), capacity.readingOf))
  return `${await registry.metrics()}${devices}${await shareText(store, metrics)}`
}

/** Leaves out devices whose filesystem does not count, or was not read yet. */
async function* withSpace(
  pages: AsyncIterable<readonly DeviceLabels[]>,
  readingOf: Capacity['readingOf'],
): AsyncGenerator<readonly DeviceSpace[]> {
  for await (const devices of pages)
    yield devices.flatMap((labels) => {
      const usage = readingOf(labels.id)?.usage
      return usage == null ? [] : [{ ...labels, ...usage }]
    })
}

type Polls = Pick<MetricService, 'pollNode'>

async function shareText(store: FleetMetricStore, metrics: Polls): Promise<string> {
  const shares = await store.listShares()
  const byNode = new Map<number, ReadonlyMap<string, number | null>>()
  for (const { nodeId } of shares)
    if (!byNode.has(nodeId)) {
      const samples = await metrics.pollNode(nodeId, ['share.*'])
      byNode.set(nodeId, new Map(samples.metrics.map(({ metric_name: name, value }) => [name, value])))
    }
  return shareLines(shares, ({ nodeId, id }, metric) => byNode.get(nodeId)?.get(`share.${id}.${metric}`))
}

async function addCounts(registry: Registry, store: FleetMetricStore): Promise<void> {
  const nodes = gauge(registry, 'roost_nodes', 'Nodes by state', ['cluster', 'state'])
  const devices = gauge(registry, 'roost_devices', 'Devices by status', ['cluster', 'status'])
  for (const { cluster, state, count } of await store.countNodes())
    nodes.set({ cluster: printable(cluster), state }, count)
  for (const { cluster, status, count } of await store.countDevices())
    devices.set({ cluster: printable(cluster), status }, count)
}

async function addCapacity(registry: Registry, store: FleetMetricStore, capacity: Capacity['service']): Promise<void> {
  const labels = ['cluster', 'ring_set'] as const
  const raw = gauge(registry, 'roost_capacity_raw_bytes', 'Raw capacity of the devices of a set of policies', labels)
  const used = gauge(registry, 'roost_capacity_used_bytes', 'Bytes used on the devices of a set of policies', labels)
  const free = gauge(registry, 'roost_capacity_free_bytes', 'Bytes free on the devices of a set of policies', labels)
  const devices = gauge(registry, 'roost_capacity_devices', 'Devices assigned to a set of policies', labels)
  for (const { id, name } of await store.listClusters()) {
    for (const element of (await capacity.ofCluster(id)).capacity) {
      const at = { cluster: printable(name), ring_set: printable(element.ring_set) }
      raw.set(at, Math.round(element.total_raw_tb * bytesPerTb))
      used.set(at, Math.round(element.total_used_tb * bytesPerTb))
      free.set(at, Math.round(element.total_free_tb * bytesPerTb))
      devices.set(at, element.pct_used_stats.count)
    }
  }
}

function gauge<L extends string>(registry: Registry, name: string, help: string, labelNames: readonly L[]): Gauge<L> {
  return new Gauge({ name, help, labelNames, registers: [registry] })
}
