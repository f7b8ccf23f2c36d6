import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { encodeChunk, readChunk, readHead } from '@roost/history'
import { addPlane, addReadings, createBuckets, enlarged, finish, positionsOf } from './buckets.js'
import type { Buckets } from './buckets.js'
import type { ColumnSet, ColumnStore, NamedUnit } from './columns.js'
import type { Level } from './levels.js'

/** A row of a finer level, with its order of columns. */
export interface FinerRow {
  readonly columnsId: number
  readonly shiftMs: number
  readonly head: Uint8Array
  readonly data: Uint8Array
}

/** A row of a level that was made. */
export interface MadeRow {
  readonly columnsId: number
  readonly head: Uint8Array
  readonly data: Uint8Array
}

const mantissa = 13

/** Collects the series of a row of a level: all metrics that any of its chunks has. */
export class Compaction {
  readonly #level: Level
  readonly #fromMs: number
  readonly #columns: Pick<ColumnStore, 'get' | 'store'>
  readonly #series: NamedUnit[] = []
  readonly #seriesOfNames = new Map<string, number>()
  /** The series of the columns of a set, in their order: nearly all chunks of a row have the same set. */
  readonly #seriesOfSets = new Map<number, Int32Array>()
  #buckets: Buckets

  constructor(level: Level, fromMs: number, columns: Pick<ColumnStore, 'get' | 'store'>) {
    this.#level = level
    this.#fromMs = fromMs
    this.#columns = columns
    this.#buckets = createBuckets(level.rowMs / level.stepMs, 0)
  }

  /** Adds a row of the finer level. Other requests are served in between: a row takes less than a millisecond. */
  async add({ planes }: Level, row: FinerRow): Promise<void> {
    const set = await this.#columns.get(row.columnsId)
    const series = this.#seriesOf(set)
    const buckets = this.#buckets
    this.#read(set, planes, row, (at, index, values) => {
      if (planes === 1) addReadings(buckets, series[index]!, at, values)
      else addPlane(buckets, series[Math.floor(index / planes)]!, at, index % planes, values)
    })
    await yieldToLoop()
  }

  /** Keeps the points of the row that was there before, where the finer level has nothing any more. */
  async keep(row: FinerRow): Promise<void> {
    const { planes } = this.#level
    const set = await this.#columns.get(row.columnsId)
    const series = this.#seriesOf(set)
    const buckets = this.#buckets
    let missing = new Int32Array()
    this.#read(set, planes, row, (at, index, values) => {
      const one = series[Math.floor(index / planes)]!
      const isMissing = (position: number) => buckets.counts[one * buckets.points + position] === 0
      if (index % planes === 0) missing = at.map((position) => (position >= 0 && isMissing(position) ? position : -1))
      addPlane(buckets, one, missing, index % planes, values)
    })
  }

  /** Returns the row; undefined where nothing was added. */
  async make(): Promise<MadeRow | undefined> {
    const series = this.#series.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    if (series.length === 0) return undefined
    const { rowMs, stepMs } = this.#level
    const times = Float64Array.from({ length: rowMs / stepMs }, (_, i) => this.#fromMs + i * stepMs)
    const columns = series.flatMap(({ name }) => {
      const { mean, minimum, maximum } = finish(this.#buckets, this.#seriesOfNames.get(name))
      return [mean, minimum, maximum]
    })
    const { id } = await this.#columns.store(series)
    return { columnsId: id, ...encodeChunk({ times, columns, mantissa }) }
  }

  /** Visits each column of a row with the points of its readings. */
  #read(
    set: ColumnSet,
    planes: number,
    { head, data, shiftMs }: FinerRow,
    visit: (at: Int32Array, index: number, values: Float64Array) => void,
  ): void {
    const { rowMs, stepMs } = this.#level
    const { times, readings } = readHead(head)
    const at = positionsOf(times, this.#fromMs - shiftMs, stepMs, rowMs / stepMs)
    readChunk(head, data, set.metrics.length * planes, readings, (index, values) => visit(at, index, values))
  }

  #seriesOf(set: ColumnSet): Int32Array {
    const known = this.#seriesOfSets.get(set.id)
    if (known !== undefined) return known
    const found = Int32Array.from(set.metrics, ({ name }, j) => this.#seriesOfName(name, set.units[j]!))
    this.#seriesOfSets.set(set.id, found)
    this.#buckets = enlarged(this.#buckets, this.#series.length)
    return found
  }

  #seriesOfName(name: string, unit: string): number {
    const known = this.#seriesOfNames.get(name)
    if (known !== undefined) return known
    this.#seriesOfNames.set(name, this.#series.length)
    return this.#series.push({ name, unit }) - 1
  }
}
