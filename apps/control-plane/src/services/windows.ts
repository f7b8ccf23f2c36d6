import { LRUCache } from 'lru-cache'

export interface Windows {
  /** Counts one for the key, or several. */
  count(key: string, number?: number): void
  /** Returns the seconds until the key may have one more, or several; undefined while it may. */
  retryAfterSeconds(key: string, number?: number): number | undefined
}

export interface WindowOptions {
  readonly max: number
  readonly windowMs: number
  /** Monotonic milliseconds. */
  readonly now: () => number
}

const maxKeys = 10_000

/**
 * Counts per key in windows that begin with the key's first count; when there are too many keys, the oldest is dropped.
 * `rate-limiter-flexible` and `@fastify/rate-limit` keep windows in wall-clock time, so that a step of the clock ends or
 * extends a block; the first also starts a timer for each key and has no limit of keys.
 */
export function countWindows({ max, windowMs, now }: WindowOptions): Windows {
  const windows = new LRUCache<string, { start: number; count: number }>({ max: maxKeys })
  const current = (key: string) => {
    // Without a change of the order: the oldest window is dropped first.
    const found = windows.peek(key)
    return found !== undefined && now() - found.start < windowMs ? found : undefined
  }
  return {
    count(key, number = 1) {
      const window = current(key)
      if (window !== undefined) {
        window.count += number
        return
      }
      windows.set(key, { start: now(), count: number })
    },
    retryAfterSeconds(key, number = 1) {
      const window = current(key)
      if (window === undefined || window.count + number <= max) return undefined
      return Math.max(1, Math.ceil((windowMs - (now() - window.start)) / 1000))
    },
  }
}
