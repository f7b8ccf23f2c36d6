import { setTimeout as sleep } from 'node:timers/promises'

export interface Watch<T> {
  /** The current state by key. When it throws, nothing has changed. */
  read(this: void): Promise<ReadonlyMap<unknown, T>>
  isSame(this: void, one: T, other: T): boolean
  /** What to yield for an item that has disappeared; undefined yields nothing. */
  gone(this: void, last: T): T | undefined
  readonly periodMs: number
}

/** Yields everything first, then what has changed, at most once a period, until the signal aborts. */
export async function* watch<T>(options: Watch<T>, signal: AbortSignal): AsyncGenerator<readonly T[]> {
  let last: ReadonlyMap<unknown, T> | undefined
  while (!signal.aborted) {
    const now = await options.read().catch(() => last)
    const news = now === undefined ? [] : newsBetween(last, now, options)
    if (now !== undefined && (last === undefined || news.length > 0)) yield news
    last = now
    await sleep(options.periodMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

function newsBetween<T>(
  last: ReadonlyMap<unknown, T> | undefined,
  now: ReadonlyMap<unknown, T>,
  { isSame, gone }: Watch<T>,
): readonly T[] {
  const changed = [...now].filter(([key, thing]) => {
    const before = last?.get(key)
    return before === undefined || !isSame(before, thing)
  })
  const left = [...(last ?? [])].filter(([key]) => !now.has(key)).flatMap(([, thing]) => gone(thing) ?? [])
  return [...changed.map(([, thing]) => thing), ...left]
}
