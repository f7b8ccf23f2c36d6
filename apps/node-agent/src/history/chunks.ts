import { historyHeaderBytes } from '@roost/api-types/agent'
import { type Chunk, encodeChunk, MANTISSAS } from '@roost/history'
import type { FullWindow } from './window.js'

/** Leaves room below the largest message of 1 MiB. */
const mostBytes = 900_000

/** The mantissa of the format that is at least as exact as this one. */
export function mantissaOf(bits: number): number {
  return MANTISSAS.find((mantissa) => mantissa >= bits) ?? Math.max(...MANTISSAS)
}

/** Encodes a window; one that is too large for a message becomes several chunks, in order. */
export function chunksOf({ catalogue, times, rows }: FullWindow, mantissa: number): Chunk[] {
  const columns = columnsOf(rows, catalogue.metrics.length)
  const chunk = encodeChunk({ times, columns, mantissa })
  if (historyHeaderBytes + chunk.head.length + chunk.data.length <= mostBytes || rows.length === 1) return [chunk]
  const middle = rows.length >> 1
  const first = { catalogue, times: times.subarray(0, middle), rows: rows.slice(0, middle) }
  const second = { catalogue, times: times.subarray(middle), rows: rows.slice(middle) }
  return [...chunksOf(first, mantissa), ...chunksOf(second, mantissa)]
}

function columnsOf(rows: readonly Float64Array[], count: number): Float64Array[] {
  const values = new Float64Array(rows.length * count)
  rows.forEach((row, i) => {
    for (let j = 0; j < count; j++) values[j * rows.length + i] = row[j] ?? Number.NaN
  })
  return Array.from({ length: count }, (_, j) => values.subarray(j * rows.length, (j + 1) * rows.length))
}
