import type { DirtyFile } from './files/cached-file.js'

/** Describes a share at one moment. Times are in milliseconds. */
export interface ShareUploadState {
  /** Dirty files of the mount's own container. */
  readonly dirty: readonly DirtyFile[]
  /** Keys of files that a client has open, or that are being uploaded. */
  readonly busy: ReadonlySet<string>
  readonly uploadsInProgress: number
  /** Files that were uploaded since the watch began. */
  readonly uploaded: number
  /** Time for which Swift has answered without a break; undefined while it does not. */
  readonly answeringMs: number | undefined
  readonly writeBackMs: number
  /** Unix time. */
  readonly nowMs: number
  readonly monotonicMs: number
}

/** Says what to do about a share. */
export interface StrandedFiles {
  /** Files to queue again now. */
  readonly requeue: readonly DirtyFile[]
  /** Files that wait and that nothing uploads, the oldest change first; a problem if there are any. */
  readonly stranded: readonly DirtyFile[]
  /** True when queueing again has not helped. */
  readonly needsRestart: boolean
}

/** rclone uploads so many files at a time; the others wait. */
const transfersAtOnce = 4
/** A proxy that reloads misses an answer. */
const steadyMs = 5_000
const waitingMs = 15_000
const strandedMs = 60_000
const firstPauseMs = 60_000
const longestPauseMs = 600_000
const restartAfterMs = 600_000

/** Finds the files of one share that wait without being uploaded, count by count. */
export class StrandedShare {
  #uploaded = 0
  /** Time of the last upload, or of the last moment without dirty files. */
  #progressAtMs: number | undefined
  #requeueAtMs = -Infinity
  #pauseMs = firstPauseMs
  /** Time of the first requeue since the last progress. */
  #firstRequeueAtMs: number | undefined

  next(state: ShareUploadState): StrandedFiles {
    const { monotonicMs } = state
    this.#progressAtMs ??= monotonicMs
    if (state.uploaded > this.#uploaded || state.dirty.length === 0) this.#progress(monotonicMs)
    if (state.answeringMs === undefined) this.#forgetRequeues()
    this.#uploaded = state.uploaded
    const requeue = this.#requeue(state)
    const stranded = monotonicMs - this.#progressAtMs < strandedMs ? [] : waiting(state, strandedMs)
    const triedMs = monotonicMs - (this.#firstRequeueAtMs ?? Infinity)
    return { requeue, stranded, needsRestart: stranded.length > 0 && triedMs >= restartAfterMs }
  }

  /** Lists the files to queue again. It waits between attempts, so that an upload that always fails is not repeated at each count. */
  #requeue(state: ShareUploadState): readonly DirtyFile[] {
    const { answeringMs = 0, uploadsInProgress, monotonicMs } = state
    if (answeringMs < steadyMs || uploadsInProgress >= transfersAtOnce || monotonicMs < this.#requeueAtMs) return []
    const files = waiting(state, waitingMs)
    if (files.length === 0) return []
    this.#firstRequeueAtMs ??= monotonicMs
    this.#requeueAtMs = monotonicMs + this.#pauseMs
    this.#pauseMs = Math.min(longestPauseMs, 2 * this.#pauseMs)
    return files
  }

  #progress(monotonicMs: number): void {
    this.#progressAtMs = monotonicMs
    this.#pauseMs = firstPauseMs
    this.#firstRequeueAtMs = undefined
  }

  #forgetRequeues(): void {
    this.#requeueAtMs = -Infinity
    this.#pauseMs = firstPauseMs
    this.#firstRequeueAtMs = undefined
  }
}

/** Lists closed files that rclone should have uploaded so long ago. */
function waiting({ dirty, busy, writeBackMs, nowMs }: ShareUploadState, overdueMs: number): readonly DirtyFile[] {
  return dirty.filter(({ key, changedAtMs }) => !busy.has(key) && nowMs - changedAtMs >= writeBackMs + overdueMs)
}
