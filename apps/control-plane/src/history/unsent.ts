/** A chunk that is to be sent elsewhere. Its readings may have been removed meanwhile. */
export interface UnsentChunk {
  readonly id: string
  readonly kind: number
  readonly ownerId: number
  readonly startedAt: Date
  readonly shiftMs: number | null
  readonly columnsId: number | null
  readonly head: Buffer | null
  readonly data: Buffer | null
}

/** What waits to be sent. */
export interface Backlog {
  readonly chunks: number
  /** When the oldest chunk begins, in Unix milliseconds; undefined when nothing waits. */
  readonly oldestMs: number | undefined
}

/** The chunks that are stored here and not yet at the server of remote_write. */
export interface UnsentChunks {
  /** Returns the oldest ones. */
  next(limit: number): Promise<readonly UnsentChunk[]>
  remove(ids: readonly string[]): Promise<void>
  backlog(): Promise<Backlog>
}
