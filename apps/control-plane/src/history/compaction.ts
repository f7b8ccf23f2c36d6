import { setImmediate as yieldToLoop } from 'node:timers/promises'
import { decodeChunk, encodeChunk } from '@roost/history'
import { addValues, createBuckets, planesOf } from './buckets.js'
import type { Buckets, Planes } from './buckets.js'
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
  readonly #series = new Map<string, NamedUnit & { readonly buckets: Buckets }>()

  constructor(level: Level, fromMs: number, columns: Pick<ColumnStore, 'get' | 'store'>) {
    this.#level = level
    this.#fromMs = fromMs
    this.#columns = columns
  }

  /** Adds a row of the finer level. Other requests are served in between: a row takes less than a millisecond. */
  async add({ planes }: Level, row: FinerRow): Promise<void> {
    const set = await this.#columns.get(row.columnsId)
    this.#addColumns(set, planes, row, () => true)
    await yieldToLoop()
  }

  /** Keeps the points of the row that was there before, where the finer level has nothing any more. */
  async keep(row: FinerRow): Promise<void> {
    const set = await this.#columns.get(row.columnsId)
    this.#addColumns(set, this.#level.planes, row, (buckets, at) => buckets.counts[at] === 0)
  }

  /** Returns the row; undefined where nothing was added. */
  async make(): Promise<MadeRow | undefined> {
    const series = [...this.#series.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
    if (series.length === 0) return undefined
    const { rowMs, stepMs } = this.#level
    const times = Float64Array.from({ length: rowMs / stepMs }, (_, i) => this.#fromMs + i * stepMs)
    const columns = series.flatMap(({ buckets }) => {
      const { mean, minimum, maximum } = planesOf(buckets)
      return [mean, minimum, maximum]
    })
    const { id } = await this.#columns.store(series)
    return { columnsId: id, ...encodeChunk({ times, columns, mantissa }) }
  }

  #addColumns(set: ColumnSet, planes: number, row: FinerRow, wants: (buckets: Buckets, at: number) => boolean): void {
    const { times, columns } = decodeChunk(row.head, row.data, set.metrics.length * planes, readingsOf(row.head))
    const at = Int32Array.from(times, (time) => this.#positionOf(time + row.shiftMs))
    for (const [j, { name }] of set.metrics.entries()) {
      const buckets = this.#bucketsOf(name, set.units[j]!)
      const wanted = at.map((position) => (position >= 0 && wants(buckets, position) ? position : -1))
      addValues(buckets, wanted, planesAt(columns, j, planes))
    }
  }

  #positionOf(timeMs: number): number {
    const at = Math.floor((timeMs - this.#fromMs) / this.#level.stepMs)
    return at < this.#level.rowMs / this.#level.stepMs ? at : -1
  }

  #bucketsOf(name: string, unit: string): Buckets {
    const known = this.#series.get(name)
    if (known !== undefined) return known.buckets
    const buckets = createBuckets(this.#level.rowMs / this.#level.stepMs)
    this.#series.set(name, { name, unit, buckets })
    return buckets
  }
}

function planesAt(columns: readonly Float64Array[], j: number, planes: number): Planes {
  const mean = columns[j * planes]!
  if (planes === 1) return { mean, minimum: mean, maximum: mean }
  return { mean, minimum: columns[j * planes + 1]!, maximum: columns[j * planes + 2]! }
}

/** The head says after its start how many readings there are. */
function readingsOf(head: Uint8Array): number {
  return head[8]! | (head[9]! << 8)
}
