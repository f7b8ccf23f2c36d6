import { comparePolicySets, policySet } from './policy-sets.js'
import type { DeviceCapacity, PolicySetCapacity } from './policy-sets.js'
import { selectRank } from './quickselect.js'
import { nearestRank, sampleDeviation } from './statistics.js'
import { percentUsed, usageOf } from './usage.js'

const noSet = -1

/** Devices as typed columns, for fleets in which objects and sorting would cost too much. A row is the index of a device. */
export interface DeviceColumns {
  /** The number of devices. */
  readonly size: number
  add(device: DeviceCapacity): number
  change(row: number, device: DeviceCapacity): void
  /** Frees the row for the next device. */
  remove(row: number): void
  /** Returns one element for every set of policies that a device is assigned to, in the order of their indexes. */
  capacityByPolicySet(): PolicySetCapacity[]
}

interface Columns {
  /** Number of the device's set of policies, or `noSet`. */
  readonly set: Int32Array
  /** NaN where the filesystem is not known. */
  readonly used: Float64Array
  readonly free: Float64Array
  /** Scratch space, kept because fresh memory costs as much as the arithmetic. */
  readonly percents: Float64Array
}

/** `expected`: the number of devices to allocate for; the columns grow beyond it. */
export function createDeviceColumns(expected = 64): DeviceColumns {
  const sets = createSetCounts()
  const freeRows: number[] = []
  let columns = grown(undefined, Math.max(1, expected))
  let rows = 0

  const clear = (row: number) => {
    sets.count(columns.set[row] as number, columns.used[row] as number, -1)
    columns.set[row] = noSet
  }
  const write = (row: number, { policies, figures: space }: DeviceCapacity) => {
    const usage = space && usageOf(space)
    const set = sets.numberOf(policies)
    columns.set[row] = set
    columns.used[row] = usage ? usage.usedBytes : Number.NaN
    columns.free[row] = usage ? usage.freeBytes : Number.NaN
    sets.count(set, columns.used[row], 1)
  }
  return {
    get size() {
      return rows - freeRows.length
    },
    add(device) {
      const row = freeRows.pop() ?? rows++
      if (row >= columns.set.length) columns = grown(columns, row * 2)
      write(row, device)
      return row
    },
    change(row, device) {
      clear(row)
      write(row, device)
    },
    remove(row) {
      clear(row)
      freeRows.push(row)
    },
    capacityByPolicySet: () => summarise(columns, rows, sets),
  }
}

function grown(from: Columns | undefined, length: number): Columns {
  const to = {
    set: new Int32Array(length).fill(noSet),
    used: new Float64Array(length),
    free: new Float64Array(length),
    percents: new Float64Array(length),
  }
  if (!from) return to
  to.set.set(from.set)
  to.used.set(from.used)
  to.free.set(from.free)
  return to
}

/** Every set of policies seen so far by number, with its devices: all assigned ones, and those with known usage. */
interface SetCounts {
  readonly policies: readonly (readonly number[])[]
  readonly assigned: readonly number[]
  readonly known: readonly number[]
  numberOf(policies: readonly number[]): number
  count(set: number, usedBytes: number, by: 1 | -1): void
}

function createSetCounts(): SetCounts {
  const policies: (readonly number[])[] = []
  const assigned: number[] = []
  const known: number[] = []
  const numbers = new Map<string, number>()
  const numbered = (set: readonly number[]) => {
    assigned.push(0)
    known.push(0)
    return policies.push(set) - 1
  }
  return {
    policies,
    assigned,
    known,
    numberOf(indexes) {
      const set = policySet(indexes)
      if (set.length === 0) return noSet
      const key = set.join()
      const number = numbers.get(key) ?? numbered(set)
      numbers.set(key, number)
      return number
    },
    count(set, usedBytes, by) {
      if (set === noSet) return
      assigned[set]! += by
      if (!Number.isNaN(usedBytes)) known[set]! += by
    },
  }
}

/** Sums of each set, and where its devices' percentages lie in `percents`. */
interface Gathered {
  readonly used: Float64Array
  readonly free: Float64Array
  readonly end: Int32Array
  readonly percents: Float64Array
}

function summarise(columns: Columns, rows: number, sets: SetCounts): PolicySetCapacity[] {
  const { used, free, end, percents } = gather(columns, rows, sets.known)
  return [...sets.policies.keys()]
    .filter((set) => (sets.assigned[set] as number) > 0)
    .toSorted((a, b) => comparePolicySets(sets.policies[a] as readonly number[], sets.policies[b] as readonly number[]))
    .map((set) => {
      const usedBytes = used[set] as number
      const freeBytes = free[set] as number
      const last = end[set] as number
      return {
        policies: sets.policies[set] as readonly number[],
        rawBytes: usedBytes + freeBytes,
        usedBytes,
        freeBytes,
        usedPct: percentUsed(usedBytes, usedBytes + freeBytes),
        percentUsed: {
          count: sets.assigned[set] as number,
          ...statisticsOf(percents.subarray(last - (sets.known[set] as number), last)),
        },
      }
    })
}

/** One pass over the devices: the percentages of one set come to lie beside each other. */
function gather(columns: Columns, rows: number, known: readonly number[]): Gathered {
  const { set, used, free, percents } = columns
  const end = new Int32Array(known.length)
  for (let s = 1; s < known.length; s++) end[s] = (end[s - 1] as number) + (known[s - 1] as number)
  const sums = { used: new Float64Array(known.length), free: new Float64Array(known.length) }
  for (let row = 0; row < rows; row++) {
    const s = set[row] as number
    const usedBytes = used[row] as number
    if (s === noSet || Number.isNaN(usedBytes)) continue
    const freeBytes = free[row] as number
    sums.used[s]! += usedBytes
    sums.free[s]! += freeBytes
    percents[end[s]!++] = percentUsed(usedBytes, usedBytes + freeBytes)
  }
  return { ...sums, end, percents }
}

/** Reorders `percents`. */
function statisticsOf(percents: Float64Array) {
  if (percents.length === 0) return { min: 0, max: 0, avg: 0, stddev: 0, pct95: 0 }
  let min = Infinity
  let max = -Infinity
  let sum = 0
  for (let i = 0; i < percents.length; i++) {
    const percent = percents[i] as number
    if (percent < min) min = percent
    if (percent > max) max = percent
    sum += percent
  }
  const avg = sum / percents.length
  const stddev = sampleDeviation(percents, avg)
  return { min, max, avg, stddev, pct95: selectRank(percents, nearestRank(95, percents.length) - 1) }
}
