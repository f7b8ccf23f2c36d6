export interface Refusal<R> {
  readonly record: R
  readonly error: unknown
}

export interface Outcome<R> {
  readonly done: readonly R[]
  readonly refused: readonly Refusal<R>[]
  /** Those that were not begun. */
  readonly left: readonly R[]
}

interface WriteEachOptions<R> {
  readonly write: (record: R) => Promise<unknown>
  /** Returns true for an error after which no other record is begun. */
  readonly endsAll: (error: unknown) => boolean
  /** Aborted: no other record is begun. */
  readonly signal: AbortSignal
  /** Called after each record with how many have ended. */
  readonly onProgress: (ended: number) => void
}

/** The control plane serves others meanwhile. */
const atOnce = 4

/** Writes records in their order, a few at a time. Each of them is done, refused or not begun in the end. */
export async function writeEach<R>(
  records: readonly R[],
  { write, endsAll, signal, onProgress }: WriteEachOptions<R>,
): Promise<Outcome<R>> {
  const done: R[] = []
  const refused: Refusal<R>[] = []
  const left = [...records]
  let isOver = false
  const work = async () => {
    while (!isOver && !signal.aborted) {
      const record = left.shift()
      if (record === undefined) return
      try {
        await write(record)
        done.push(record)
      } catch (error) {
        refused.push({ record, error })
        isOver ||= endsAll(error)
      }
      onProgress(done.length + refused.length)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return { done, refused, left }
}
