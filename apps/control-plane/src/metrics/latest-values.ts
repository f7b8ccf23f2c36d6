import { decodeMetricFrame, FrameError } from '@roost/api-types/agent'
import type { MetricDefinition } from '@roost/api-types/agent'
import type { Clock } from '@roost/runtime'
import { compareMetrics, createCatalogueTable } from './catalogue.js'
import type { Catalogue, Metric } from './catalogue.js'

/** The last reading of each of a node's metrics. Arrays are by position in the catalogue. */
export interface NodeValues {
  readonly nodeId: number
  readonly catalogue: Catalogue
  /** The catalogue's number in the agent's frames. */
  readonly catalogueId: number
  readonly values: Float64Array
  /** Time of each value's reading in Unix seconds; NaN where there never was one. */
  readonly times: Float64Array
  /** Time of the newest frame. */
  newest: number
  /** Whether that frame had a value for every metric, so that `newest` is the time of them all. */
  isComplete: boolean
}

/** What came in and what was dropped since the start. */
export interface IntakeCounters {
  frames: number
  samples: number
  /** Frames of a catalogue that the agent has not sent, or that another has replaced. */
  unknownCatalogue: number
  /** Frames older than one that is held already. */
  late: number
}

/** What a catalogue says; not changed afterwards. */
export interface NumberedDefinitions {
  readonly id: number
  readonly metrics: readonly MetricDefinition[]
}

/** Latest values of all nodes, in memory. */
export interface LatestValues {
  readonly counters: Readonly<IntakeCounters>
  /** Nodes that have a catalogue. */
  readonly size: number
  /** Distinct metric names that are held. */
  readonly names: number
  get(nodeId: number): NodeValues | undefined
  /** Those of them that have a catalogue, in the same order. */
  getMany(nodeIds: readonly number[]): readonly NodeValues[]
  /** Takes a node's catalogue; values whose names it shares with the last one stay. True when it is another set. */
  storeCatalogue(nodeId: number, message: NumberedDefinitions): boolean
  /** Takes a metric frame. Throws FrameError for one that cannot be read. */
  storeFrame(nodeId: number, bytes: Uint8Array): void
  forget(nodeId: number): void
}

type WallClock = Pick<Clock, 'now' | 'monotonic'>

/** A smaller difference is not a clock that was set. */
const leastJumpSeconds = 1

/** No reading is kept with a time beyond the wall clock. When that is set back, all readings move with it, so that they keep their age. */
export function createLatestValues(clock: WallClock): LatestValues {
  const table = createCatalogueTable()
  const nodes = new Map<number, NodeValues>()
  const followClock = createFollower(clock, nodes)
  const counters = { frames: 0, samples: 0, unknownCatalogue: 0, late: 0 }

  return {
    counters,
    get size() {
      return nodes.size
    },
    get names() {
      return table.names
    },
    get(nodeId) {
      followClock()
      return nodes.get(nodeId)
    },
    getMany(nodeIds) {
      followClock()
      return nodeIds.map((nodeId) => nodes.get(nodeId)).filter((node) => node !== undefined)
    },
    storeCatalogue(nodeId, { id, metrics }) {
      const last = nodes.get(nodeId)
      const catalogue = table.acquire(metrics)
      nodes.set(
        nodeId,
        catalogue === last?.catalogue ? { ...last, catalogueId: id } : fresh(nodeId, catalogue, id, last),
      )
      if (last) table.release(last.catalogue)
      return catalogue !== last?.catalogue
    },
    storeFrame(nodeId, bytes) {
      const frame = decodeMetricFrame(bytes)
      if (!Number.isFinite(frame.time)) throw new FrameError('A frame has no time')
      const node = nodes.get(nodeId)
      if (node?.catalogueId !== frame.catalogue) {
        counters.unknownCatalogue++
        return
      }
      followClock()
      keep(node, frame.values, Math.min(frame.time, clock.now() / 1000), counters)
    },
    forget(nodeId) {
      const node = nodes.get(nodeId)
      if (!node) return
      nodes.delete(nodeId)
      table.release(node.catalogue)
    },
  }
}

/**
 * Returns a function that moves all readings by as much as the wall clock was set back since its last call. When it was set
 * forward they stay, and are old: a machine that was suspended looks the same.
 */
function createFollower(clock: WallClock, nodes: ReadonlyMap<number, NodeValues>): () => void {
  const wallOffset = () => (clock.now() - clock.monotonic()) / 1000
  let offset = wallOffset()
  return () => {
    const jump = wallOffset() - offset
    if (Math.abs(jump) < leastJumpSeconds) return
    offset += jump
    if (jump < 0) for (const node of nodes.values()) move(node, jump)
  }
}

function move(node: NodeValues, seconds: number): void {
  node.newest += seconds
  for (let i = 0; i < node.times.length; i++) node.times[i] = (node.times[i] as number) + seconds
}

function keep(node: NodeValues, values: Float64Array, time: number, counters: IntakeCounters): void {
  if (values.length !== node.values.length)
    throw new FrameError(`A frame of ${values.length} values for a catalogue of ${node.values.length}`)
  if (time < node.newest) {
    counters.late++
    return
  }
  node.newest = time
  counters.frames++
  counters.samples += values.length
  node.isComplete = copyFinite(values, node.values, node.times, time) === values.length
}

/** Copies finite values with their time; NaN keeps the previous value. Returns the number of copied values. */
function copyFinite(from: Float64Array, values: Float64Array, times: Float64Array, time: number): number {
  let copied = 0
  for (let i = 0; i < from.length; i++) {
    const value = from[i] as number
    if (!Number.isFinite(value)) continue
    values[i] = value
    times[i] = time
    copied++
  }
  return copied
}

function fresh(nodeId: number, catalogue: Catalogue, catalogueId: number, last: NodeValues | undefined): NodeValues {
  const { length } = catalogue.metrics
  const values = new Float64Array(length).fill(Number.NaN)
  const times = new Float64Array(length).fill(Number.NaN)
  if (last) carryOver(last, catalogue, values, times)
  return { nodeId, catalogue, catalogueId, values, times, newest: last?.newest ?? -Infinity, isComplete: false }
}

/** Copies the values of names that both have. Walks both in the order of their names: a table of them would take longer to make. */
function carryOver(last: NodeValues, catalogue: Catalogue, values: Float64Array, times: Float64Array): void {
  const { metrics, sorted } = last.catalogue
  let at = 0
  for (const position of catalogue.sorted) {
    const metric = catalogue.metrics[position] as Metric
    while (at < sorted.length && compareMetrics(metrics[sorted[at] as number] as Metric, metric) < 0) at++
    const former = sorted[at]
    if (former === undefined || metrics[former] !== metric) continue
    values[position] = last.values[former] as number
    times[position] = last.times[former] as number
  }
}
