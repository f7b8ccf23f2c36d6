import type { MetricDefinition } from '@roost/api-types/agent'
import { seededRandom } from '../lives.js'

/** Draws the next reading of a series from what it was, `load` of the hour (around 1), and chance. NaN is no value. */
type Draw = (before: number, load: number, chance: Chance) => number

interface Chance {
  /** A number in 0..1. */
  readonly uniform: () => number
  /** A number with mean 0 and deviation 1. */
  readonly normal: () => number
}

/** A metric of a node of the model. */
export interface ModelSeries {
  readonly name: string
  readonly first: number
  readonly draw: Draw
}

const intervalSeconds = 10
const normals = 65_536

/** Rates and shares are divided by an interval that is never exactly ten seconds, which fills their mantissas. */
const interval = ({ normal }: Chance) => intervalSeconds + 0.002 * normal()
const positive = (value: number) => Math.max(0, Math.round(value))

const constant: Draw = (before) => before
const rate =
  (perSecond: number, spread: number): Draw =>
  (_, load, chance) =>
    positive(perSecond * load * (1 + spread * chance.normal()) * intervalSeconds) / interval(chance)
const diskBytes =
  (perSecond: number): Draw =>
  (_, load, chance) =>
    (positive((perSecond * load * Math.exp(0.5 * chance.normal()) * intervalSeconds) / 512) * 512) / interval(chance)
const milliseconds =
  (mean: number): Draw =>
  (_, load, { normal }) => {
    const operations = Math.max(1, positive(400 * load * (1 + 0.3 * normal())))
    return positive(operations * mean * Math.exp(0.3 * normal())) / operations
  }
const growing =
  (blocks: number, size: number): Draw =>
  (before, load, { normal }) =>
    before + Math.round(Math.abs(blocks * load * (1 + normal()))) * size
const wandering =
  (size: number): Draw =>
  (before, _, { normal }) =>
    Math.max(0, before + Math.round(500 * normal()) * size)
const percent: Draw = (before, _, { normal }) => before + Math.abs(normal()) * 1e-5
const processor =
  (share: number): Draw =>
  (_, load, chance) =>
    (positive(share * load * (1 + 0.3 * chance.normal()) * 320) / 32_000) * (1000 / interval(chance))
const loadAverage: Draw = (before, load, { normal }) =>
  Math.round(100 * Math.max(0, before * 0.95 + 0.25 * load * (1 + normal()))) / 100
const rareEvents: Draw = (_, load, chance) =>
  (chance.uniform() < 0.1 * load ? Math.ceil(chance.uniform() * 3) : 0) / interval(chance)
const timer: Draw = (_, __, { uniform, normal }) => (uniform() < 0.3 ? Number.NaN : 12 * Math.exp(0.4 * normal()))
const age: Draw = (before, _, chance) => (before > 600 ? 0 : before + interval(chance))
const queue: Draw = (_, __, { normal }) => positive(2 + 2 * normal())

type Kind = readonly [name: string, draw: Draw, first?: number]

const ofDisk: readonly Kind[] = [
  ['disk_octets.read', diskBytes(3e6)],
  ['disk_octets.write', diskBytes(8e6)],
  ['disk_ops.read', rate(40, 0.3)],
  ['disk_ops.write', rate(60, 0.3)],
  ['disk_merged.read', constant],
  ['disk_merged.write', rate(3, 0.3)],
  ['disk_time.read', milliseconds(8)],
  ['disk_time.write', milliseconds(3)],
  ['pending_operations', queue],
  ['disk_io_time.io_time', rate(200, 0.3)],
  ['disk_io_time.weighted_io_time', rate(400, 0.3)],
  ['disk_octets.discard', constant],
  ['disk_ops.discard', constant],
]
const ofFilesystem: readonly Kind[] = [
  ['df_complex.free', growing(-2000, 4096), 4e12],
  ['df_complex.reserved', constant],
  ['df_complex.used', growing(2000, 4096), 6e12],
  ['percent_bytes.used', percent, 60],
  ['df_inodes.free', growing(-30, 1), 9e8],
  ['df_inodes.used', growing(30, 1), 5e7],
  ['percent_inodes.used', percent, 5],
  ['mount_stuck', constant],
]

const times = (count: number, kinds: (i: number) => readonly Kind[]): readonly Kind[] =>
  Array.from({ length: count }, (_, i) => kinds(i)).flat()
const under = (prefix: string, kinds: readonly Kind[]) =>
  kinds.map(([name, draw, first = 0]): Kind => [`${prefix}.${name}`, draw, first])

/** 800 metrics of a storage node with 24 disks, with the shares of kinds that the agent's own have. */
const ofNode: readonly Kind[] = [
  ...times(24, (i) => [...under(`disk.sd${i}`, ofDisk), ...under(`df.srv-node-d${i}`, ofFilesystem)]),
  ...['user', 'system', 'wait', 'idle', 'interrupt', 'softirq'].map((name): Kind => [
    `aggregation.cpu-average.cpu.${name}`,
    processor(10),
  ]),
  ...['nice', 'steal'].map((name): Kind => [`aggregation.cpu-average.cpu.${name}`, constant]),
  ...['shortterm', 'midterm', 'longterm'].map((name): Kind => [`load.load.${name}`, loadAverage, 5]),
  ...times(8, (i) => [[`memory.memory.m${i}`, wandering(4096), 1e10]]),
  ...times(4, (i) => [[`memory.memory.total${i}`, constant, 1e10 + i]]),
  ...times(16, (i) => [[`interface.eth${i >> 2}.if_octets.${i & 3}`, rate(1e7, 0.2)]]),
  ...times(16, (i) => [[`interface.eth${i >> 2}.if_errors.${i & 3}`, constant]]),
  ...times(12, (i) => [[`net.tcp.t${i}`, rate(300, 0.3)]]),
  ...times(18, (i) => [[`net.tcp.unused${i}`, constant]]),
  ...times(24, (i) => [[`xfs.d${i}.operations`, rate(20, 0.3)]]),
  ...times(24, (i) => [[`replication.d${i}.age`, age]]),
  ...times(5, (i) => [[`recon.object.queue${i}`, queue]]),
  ...times(15, (i) => [[`recon.object.counter${i}`, constant]]),
  ...times(20, (i) => [[`object-server.s${i}.count`, rate(50, 0.1)]]),
  ...times(70, (i) => [[`object-server.rare${i}.count`, rareEvents]]),
  ...times(40, (i) => [[`object-server.s${i}.timing.mean`, timer]]),
  ...times(13, (i) => [[`processes.p${i}`, constant, 40 + i]]),
]

/** Returns `count` of the metrics, which have the shares of kinds that all have. */
export function modelSeries(count: number): readonly ModelSeries[] {
  return Array.from({ length: count }, (_, i) => {
    const [name, draw, first = 0] = ofNode[Math.floor((i * ofNode.length) / count)]!
    return { name, draw, first }
  })
}

export const definitionsOf = (series: readonly ModelSeries[]): MetricDefinition[] =>
  series.map(({ name }) => ({ name, unit: 'count', aggregation: 'mean' }))

/** Whether the values of a series change. */
export const isMoving = ({ draw }: ModelSeries) => draw !== constant

/** The readings of all series of a node over a time. */
export interface Readings {
  /** Unix milliseconds. */
  readonly times: Float64Array
  readonly columns: readonly Float64Array[]
}

/** A node of the model, which draws its readings in the order of time. The same number makes the same readings. */
export class ModelNode {
  readonly #series: readonly ModelSeries[]
  readonly #state: Float64Array
  readonly #chance: Chance
  readonly #phaseMs: number

  constructor(series: readonly ModelSeries[], number: number) {
    const uniform = seededRandom(4_321 + 7_919 * number)
    this.#series = series
    this.#chance = { uniform, normal: () => normalTable[Math.floor(uniform() * normals)]! }
    this.#phaseMs = Math.floor(uniform() * 5_000)
    this.#state = Float64Array.from(series, ({ first }) => Math.floor(first * (0.5 + uniform())))
  }

  /** Draws so many readings, of which the first is within five seconds after a time. */
  read(fromMs: number, readings: number): Readings {
    const chance = this.#chance
    const times = Float64Array.from({ length: readings }, (_, i) =>
      Math.round(fromMs + this.#phaseMs + i * intervalSeconds * 1000 + 2 * chance.normal()),
    )
    const loads = times.map((time) => 1 + 0.4 * Math.sin((time / 86_400_000) * 2 * Math.PI + this.#phaseMs))
    const columns = this.#series.map(({ draw }, j) =>
      loads.map((load) => {
        const value = draw(this.#state[j]!, load, chance)
        this.#state[j] = Number.isNaN(value) ? 0 : value
        return value
      }),
    )
    return { times, columns }
  }
}

const normalTable = (() => {
  const uniform = seededRandom(99)
  return Float64Array.from(
    { length: normals },
    () => Math.sqrt(-2 * Math.log(Math.max(1e-12, uniform()))) * Math.cos(2 * Math.PI * uniform()),
  )
})()
