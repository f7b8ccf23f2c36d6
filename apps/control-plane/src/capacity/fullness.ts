import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { NodeFullness, RingSetFullness } from '@roost/api-types/rest'
import { comparePolicySets, percentUsed } from '@roost/capacity-core'
import type { CountedDevice, DeviceReading } from './live-devices.js'
import type { NamedDevice } from './store.js'

const defaultStep = 5

/** Returns the percent of a step. Throws `invalid`. */
export function fullnessStep(step = defaultStep): number {
  if (Number.isInteger(step) && step >= 1 && step <= 50 && 100 % step === 0) return step
  throw new RoostError('invalid', "'step' must be 1, 2, 4, 5, 10, 20, 25 or 50 percent.")
}

/** Counts the devices of each set by percent used; a full device is in the last step. */
export function countByFullness(
  devices: Iterable<CountedDevice>,
  step: number,
  ringSet: (policies: readonly number[]) => string,
): RingSetFullness[] {
  const sets = new Map<string, CountedSet>()
  for (const { policies, usage } of devices) {
    const key = policies.join()
    const set = sets.get(key) ?? { policies, counts: Array<number>(100 / step).fill(0) }
    sets.set(key, set)
    const at = Math.min(100 / step - 1, Math.floor(percentUsed(usage.usedBytes, usage.rawBytes) / step))
    set.counts[at] = (set.counts[at] ?? 0) + 1
  }
  return [...sets.values()]
    .toSorted((a, b) => comparePolicySets(a.policies, b.policies))
    .map(({ policies, counts }) => ({ ring_set: ringSet(policies), devices: counts }))
}

interface CountedSet {
  readonly policies: readonly number[]
  readonly counts: number[]
}

/** Lists the devices in a ring by node, with how full each is; null where that is not known. */
export function fullnessByNode(
  named: readonly NamedDevice[],
  readingOf: (id: number) => DeviceReading | undefined,
): NodeFullness[] {
  const nodes = new Map<number, NodeFullness>()
  for (const { id, nodeId, name } of named) {
    const reading = readingOf(id)
    if (reading === undefined || reading.policies.length === 0) continue
    const node = nodes.get(nodeId) ?? { node: resourceUri('nodes', nodeId), devices: [] }
    nodes.set(nodeId, node)
    const { usage, status } = reading
    const used = usage === null ? null : percentUsed(usage.usedBytes, usage.rawBytes)
    node.devices.push({ device: resourceUri('devices', id), name, status, used_pct: used })
  }
  return [...nodes.values()]
}
