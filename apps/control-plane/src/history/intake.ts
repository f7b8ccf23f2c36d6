import { RoostError } from '@roost/api-types/rest'
import { ChunkError, readChunk, readHead } from '@roost/history'
import { concurrencyLimit } from '@roost/runtime'
import type { ColumnStore, NamedUnit } from './storage/columns.js'
import type { ChunkRow } from './storage/chunk-store.js'
import { longestShiftMs, longestWindowMs, ownerKinds } from './storage/levels.js'

export interface HistoryCounters {
  chunks: number
  samples: number
  bytes: number
  refused: number
  /** Chunks from before the time that is kept: acknowledged, so that the agent forgets them. */
  tooOld: number
}

/** A chunk, head first, with the agent's number for the order of its columns. */
export interface SentChunk {
  readonly catalogue: number
  readonly chunk: Uint8Array
}

/** What the agents' stream gives to the history. */
export interface HistoryIntake {
  readonly counters: Readonly<HistoryCounters>
  /** Resolves when chunks of the catalogue can be stored. */
  catalogue(nodeId: number, catalogue: number, definitions: readonly NamedUnit[]): Promise<void>
  /** Resolves when the chunk is stored, or was before. Throws `invalid` for one that cannot be read. */
  accept(nodeId: number, message: SentChunk, skewSeconds: number): Promise<void>
}

export interface HistoryIntakeOptions {
  readonly columns: Pick<ColumnStore, 'storeCatalogue' | 'ofCatalogue'>
  readonly insert: (row: ChunkRow) => Promise<void>
  /** Why nothing is stored at present, such as a full disk; undefined when history is stored. */
  readonly obstacle: () => string | undefined
  /** Older chunks are dropped. Unix milliseconds. */
  readonly oldestKept: () => number
  readonly now: () => number
}

/** After a restart all agents send what they kept: the database must have connections left for the API. */
const chunksAtOnce = 8
/** A smaller skew may be caused by the network, see `AgentClock`. */
const toleratedSkewMs = 5_000

export function createHistoryIntake({
  columns,
  insert,
  obstacle,
  oldestKept,
  now,
}: HistoryIntakeOptions): HistoryIntake {
  const gate = concurrencyLimit(chunksAtOnce)
  const counters: HistoryCounters = { chunks: 0, samples: 0, bytes: 0, refused: 0, tooOld: 0 }
  /** The last catalogue of a node that is being stored, after those before it: a chunk may follow at once. */
  const storing = new Map<number, Promise<void>>()

  const store = async (nodeId: number, { catalogue, chunk }: SentChunk, shiftMs: number) => {
    await storing.get(nodeId)?.catch(() => {})
    const set = await columns.ofCatalogue(nodeId, catalogue)
    if (set === undefined) throw new RoostError('not_found', 'Send the catalogue of a chunk before the chunk.')
    const { head, data, times } = checkChunk(chunk, set.metrics.length)
    const startMs = times[0]!
    if (startMs + shiftMs > now() + longestWindowMs) throw new RoostError('invalid', 'The chunk is from the future.')
    if (startMs + shiftMs < oldestKept()) {
      counters.tooOld += 1
      return
    }
    await insert({ owner: { kind: ownerKinds.node, id: nodeId }, startMs, shiftMs, columnsId: set.id, head, data })
    counters.chunks += 1
    counters.samples += times.length * set.metrics.length
    counters.bytes += head.length + data.length
  }
  return {
    counters,
    async catalogue(nodeId, catalogue, definitions) {
      const before = storing.get(nodeId)?.catch(() => {}) ?? Promise.resolve()
      const running = before.then(() => columns.storeCatalogue(nodeId, catalogue, definitions))
      storing.set(nodeId, running)
      try {
        await running
      } finally {
        if (storing.get(nodeId) === running) storing.delete(nodeId)
      }
    },
    async accept(nodeId, message, skewSeconds) {
      const why = obstacle()
      if (why !== undefined) throw new RoostError('unavailable', why)
      try {
        await gate(() => store(nodeId, message, shiftOf(skewSeconds)))
      } catch (error) {
        if (error instanceof RoostError && error.code === 'invalid') counters.refused += 1
        throw error
      }
    },
  }
}

function shiftOf(skewSeconds: number): number {
  const shiftMs = Math.round(-skewSeconds * 1000)
  if (Math.abs(shiftMs) > longestShiftMs)
    throw new RoostError('invalid', 'The clock of the node is wrong by more than an hour: its history is not stored.')
  return Math.abs(shiftMs) > toleratedSkewMs ? shiftMs : 0
}

/** A chunk that can be read. */
interface CheckedChunk {
  readonly head: Uint8Array
  readonly data: Uint8Array
  readonly times: Float64Array
}

/** Reads a chunk of these columns, so that no query ever meets a bad one. Throws `invalid`. */
function checkChunk(chunk: Uint8Array, columns: number): CheckedChunk {
  const { head, data, times } = read(chunk, columns)
  if (!times.every((time, i) => i === 0 || time > times[i - 1]!))
    throw new RoostError('invalid', 'The times of the chunk do not increase.')
  if (times[times.length - 1]! - times[0]! > longestWindowMs)
    throw new RoostError('invalid', 'The chunk has more than 15 minutes.')
  return { head, data, times }
}

function read(chunk: Uint8Array, columns: number): CheckedChunk {
  try {
    const { readings, length } = readHead(chunk)
    const head = chunk.subarray(0, length)
    const data = chunk.subarray(length)
    return { head, data, times: readChunk(head, data, columns, readings, () => {}) }
  } catch (error) {
    if (error instanceof ChunkError) throw new RoostError('invalid', error.message, { cause: error })
    throw error
  }
}
