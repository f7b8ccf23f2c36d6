import { setImmediate as yieldToLoop } from 'node:timers/promises'
import type { Database } from '../../database/database.js'
import type { ColumnSet, ColumnStore } from '../storage/columns.js'
import type { Level } from '../storage/levels.js'
import type { Part } from './parts.js'
import { listColumnSets, readParts } from './slices.js'
import type { Range } from './slices.js'

/** Selects metrics: returns their positions in a set of columns. */
export type MetricSelection = (set: ColumnSet) => Int32Array

export interface FoundColumn {
  readonly position: number
  readonly name: string
  readonly unit: string
}

/** Returns what adds a metric of the rows of an owner. */
type Add = (part: Part) => (metric: FoundColumn) => void

/** Values that are read in one go, in about a millisecond: going through the event loop costs as much as some of them. */
const valuesAtOnce = 4000

/** Has `add` add each metric of each owner that has a row of a level in the range. */
export type Scan = (level: Level, range: Range, metrics: MetricSelection, add: Add) => Promise<void>

export function createScan(database: Pick<Database, 'pool' | 'disk'>, columns: ColumnStore): Scan {
  return async (level, range, metrics, add) => {
    const readMore = countReads()
    for (const columnsId of await listColumnSets(database, level, range)) {
      const set = await columns.get(columnsId)
      const found = Array.from(metrics(set), (position) => ({
        position,
        name: set.metrics[position]!.name,
        unit: set.units[position]!,
      }))
      if (found.length === 0) continue
      const indexes = found.flatMap(({ position }) =>
        Array.from({ length: level.planes }, (_, plane) => position * level.planes + plane),
      )
      for await (const part of readParts(database, level, range, columnsId, indexes)) {
        const addMetric = add(part)
        for (const metric of found) {
          addMetric(metric)
          await readMore(part.times.length * level.planes)
        }
      }
    }
  }
}

/** Returns a function that counts the values that were read, and yields to the event loop after some. */
function countReads() {
  let values = 0
  return async (count: number): Promise<void> => {
    values += count
    if (values < valuesAtOnce) return
    values = 0
    await yieldToLoop()
  }
}
