import { columnRange, decodeColumn, decodeCutColumn, readHead, readingsOf } from '@roost/history'
import type { Space } from '@roost/history'
import { hasColumn, isCut } from './runs.js'
import type { Run } from './runs.js'

/** Some columns of the rows of an owner, one row after another, read without the other columns. */
export interface Part {
  readonly ownerId: number
  /** By the clock of the control plane, in Unix milliseconds. */
  readonly times: Float64Array
  /** Returns the values of a column that was asked for, until the next is read; NaN is a gap. */
  column(index: number): Float64Array
}

/** Some rows of an owner. */
export interface Pack {
  readonly ownerId: number
  /** Of each row the shift, the head and the slices of the runs, the last two after their length. */
  readonly rows: Buffer
}

/** A row of a level without the columns that were not asked for. */
interface Row {
  readonly shiftMs: number
  readonly head: Buffer
  readonly slices: readonly Buffer[]
}

function unpack(packs: readonly Pack[], slices: number): readonly Row[] {
  const found: Row[] = []
  for (const { rows } of packs) {
    let at = 0
    const next = () => {
      const from = at + 4
      at = from + rows.readInt32BE(at)
      return rows.subarray(from, at)
    }
    while (at < rows.length) {
      const shiftMs = rows.readInt32BE(at)
      at += 4
      found.push({ shiftMs, head: next(), slices: Array.from({ length: slices }, next) })
    }
  }
  return found
}

/** Decodes the rows of an owner: the times now, a column when it is asked for. */
export function partOf(ownerId: number, packs: readonly Pack[], runs: readonly Run[]): Part {
  const rows = unpack(packs, runs.length)
  const begins = beginsOf(rows)
  const readings = begins.at(-1)!
  const times = new Float64Array(readings)
  for (const [i, { head, shiftMs }] of rows.entries()) {
    const ofRow = times.subarray(begins[i], begins[i + 1])
    readHead(head, () => ofRow)
    if (shiftMs !== 0) for (let j = 0; j < ofRow.length; j++) ofRow[j] = ofRow[j]! + shiftMs
  }
  return {
    ownerId,
    times,
    column(index) {
      const at = runs.findIndex((run) => hasColumn(run, index))
      const values = spaceFor(readings)
      for (const [i, { head, slices }] of rows.entries()) {
        const space = { values, at: begins[i]!, readings: begins[i + 1]! - begins[i]! }
        decodeFrom(slices[at]!, runs[at]!, head, index, space)
      }
      return values
    },
  }
}

/** One column is read at a time: memory of its own for each would be garbage at once. */
let space = new Float64Array()

function spaceFor(readings: number): Float64Array {
  if (space.length < readings) space = new Float64Array(readings)
  return space.subarray(0, readings)
}

/** Reads a column of a row from the slice of its run. */
function decodeFrom(slice: Buffer, run: Run, head: Buffer, index: number, to: Space): void {
  if (isCut(slice, run)) return decodeCutColumn(slice, run.from, index, to)
  const base = columnRange(head, run.from).from
  const { from, end } = columnRange(head, index)
  decodeColumn(slice.subarray(from - base, end - base), index, to)
}

/** Returns where the readings of each row begin, and at last where they end. */
function beginsOf(rows: readonly Row[]): readonly number[] {
  let end = 0
  return [0, ...rows.map(({ head }) => (end += readingsOf(head)))]
}
