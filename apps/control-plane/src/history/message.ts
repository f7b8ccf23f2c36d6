import { RoostError } from '@roost/api-types/rest'
import { ChunkError, decodeChunk, readHead } from '@roost/history'
import { longestWindowMs } from './levels.js'

/** A chunk that can be read. */
export interface CheckedChunk {
  readonly head: Uint8Array
  readonly data: Uint8Array
  readonly times: Float64Array
}

/** Decodes a chunk of these columns, so that no query ever meets a bad one. Throws `invalid`. */
export function checkChunk(chunk: Uint8Array, columns: number): CheckedChunk {
  const { head, data, times } = decode(chunk, columns)
  if (!times.every((time, i) => i === 0 || time > times[i - 1]!))
    throw new RoostError('invalid', 'The times of the chunk do not increase.')
  if (times[times.length - 1]! - times[0]! > longestWindowMs)
    throw new RoostError('invalid', 'The chunk has more than 15 minutes.')
  return { head, data, times }
}

function decode(chunk: Uint8Array, columns: number): CheckedChunk {
  try {
    const { readings, length } = readHead(chunk)
    const head = chunk.subarray(0, length)
    const data = chunk.subarray(length)
    return { head, data, times: decodeChunk(head, data, columns, readings).times }
  } catch (error) {
    if (error instanceof ChunkError) throw new RoostError('invalid', error.message, { cause: error })
    throw error
  }
}
