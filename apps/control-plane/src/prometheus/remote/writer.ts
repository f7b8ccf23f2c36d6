import { RetrySchedule } from '@roost/runtime'
import type { Clock } from '@roost/runtime'
import type { ColumnStore } from '../../history/storage/columns.js'
import type { Backlog, UnsentChunk, UnsentChunks } from '../../history/unsent.js'
import type { LabeledOwner } from './owners.js'
import { encodeWrite } from './write-request.js'

export interface RemoteWriterOptions {
  readonly unsent: UnsentChunks
  readonly columns: Pick<ColumnStore, 'get'>
  readonly listOwners: () => Promise<readonly LabeledOwner[]>
  /** Sends a request. Throws if it is to be repeated. */
  readonly send: (body: Buffer, signal: AbortSignal) => Promise<WriteAnswer>
  readonly clock: Clock
  readonly log: { warn(fields: object, message: string): void }
}

/** `refused`: the server will never accept it, with its reason. */
export type WriteAnswer = { readonly kind: 'accepted' } | { readonly kind: 'refused'; readonly reason: string }

export interface RemoteWriteMetrics extends Backlog {
  /** Unix milliseconds. */
  readonly nowMs: number
  readonly sentSamples: number
  readonly sentChunks: number
  /** Chunks that the server refused, such as readings that are too old for it. */
  readonly refusedChunks: number
  /** Chunks whose readings or owner were removed before they were sent. */
  readonly lostChunks: number
  /** Why the last attempt failed; undefined after a success. */
  readonly fault: string | undefined
}

/** Sends each chunk as it was stored, oldest first. A failure is repeated, so that nothing overtakes what waits. */
export interface RemoteWriter {
  /** Sends what waits. Ends early when the signal aborts. */
  run(signal: AbortSignal): Promise<void>
  metrics(): RemoteWriteMetrics
}

const chunksAtOnce = 16

export function createRemoteWriter(options: RemoteWriterOptions): RemoteWriter {
  const { unsent, listOwners, clock, log } = options
  const attempts = new RetrySchedule(clock)
  const counters = { sentSamples: 0, sentChunks: 0, refusedChunks: 0, lostChunks: 0 }
  let backlog: Backlog = { chunks: 0, oldestMs: undefined }

  const sendAll = async (signal: AbortSignal) => {
    const owners = new Map((await listOwners()).map((owner) => [`${owner.kind}/${owner.id}`, owner]))
    for (;;) {
      const chunks = await unsent.next(chunksAtOnce)
      for (const chunk of chunks) {
        if (signal.aborted) return
        await sendChunk(options, chunk, owners.get(`${chunk.kind}/${chunk.ownerId}`), counters, signal)
        await unsent.remove([chunk.id])
      }
      if (chunks.length < chunksAtOnce) return
    }
  }
  return {
    async run(signal) {
      const fault = await attempts.run('remote write', () => sendAll(signal))
      if (fault !== undefined && !signal.aborted)
        log.warn({ fault }, 'could not send history by remote_write, retrying')
      backlog = await unsent.backlog()
    },
    metrics: () => ({ ...counters, ...backlog, nowMs: clock.now(), fault: attempts.fault('remote write') }),
  }
}

type Counters = { -readonly [Name in 'sentSamples' | 'sentChunks' | 'refusedChunks' | 'lostChunks']: number }

async function sendChunk(
  { columns, send, log }: RemoteWriterOptions,
  { head, data, shiftMs, columnsId }: UnsentChunk,
  owner: LabeledOwner | undefined,
  counters: Counters,
  signal: AbortSignal,
): Promise<void> {
  if (head === null || data === null || columnsId === null || owner === undefined) {
    counters.lostChunks += 1
    return
  }
  const { body, samples } = encodeWrite({ head, data, shiftMs }, await columns.get(columnsId), owner)
  const answer = await send(body, signal)
  if (answer.kind === 'accepted') {
    counters.sentSamples += samples
    counters.sentChunks += 1
    return
  }
  counters.refusedChunks += 1
  log.warn({ ...owner.labels, reason: answer.reason }, 'the server of remote_write refused a chunk of history')
}
