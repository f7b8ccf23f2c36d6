import { decodeChunk, readHead } from '@roost/history'
import type { ColumnSet } from '../../history/storage/columns.js'
import type { UnsentChunk } from '../../history/unsent.js'
import { metricLabels } from './owners.js'
import type { LabeledOwner } from './owners.js'
import { lengthPrefix } from './protobuf.js'
import { encodeLabels, encodeSamples, sampleBytes, withGapMarks } from './series.js'
import { snappyLiterals } from './snappy.js'

/** The bytes of a chunk that is still stored. */
export type StoredChunk = Pick<UnsentChunk, 'head' | 'data' | 'shiftMs'> & {
  readonly head: Buffer
  readonly data: Buffer
}

export interface WriteRequest {
  readonly body: Buffer
  readonly samples: number
}

/** Encodes a chunk as a WriteRequest: each column that has a value is a series. */
export function encodeWrite(chunk: StoredChunk, set: ColumnSet, owner: LabeledOwner): WriteRequest {
  const { head, data, shiftMs } = chunk
  const decoded = decodeChunk(head, data, set.metrics.length, readHead(head).readings)
  const times = Array.from(decoded.times, (time) => time + (shiftMs ?? 0))
  const pieces: Buffer[] = []
  let samples = 0
  for (const [i, column] of decoded.columns.entries()) {
    const kept = withGapMarks({ times, values: [...column] })
    if (kept.times.length === 0) continue
    const labels = encodeLabels({ ...metricLabels(owner.kind, set.metrics[i]!.name), ...owner.labels })
    pieces.push(lengthPrefix(1, labels.length + kept.times.length * sampleBytes), labels, encodeSamples(kept))
    samples += kept.times.length
  }
  const length = pieces.reduce((sum, { length: bytes }) => sum + bytes, 0)
  return { body: Buffer.concat([...snappyLiterals(length, pieces)]), samples }
}
