import { LRUCache } from 'lru-cache'

export interface Windows {
  /** Counts one for the key. */
  count(key: string): void
  /** Seconds until the key may go on; undefined while it may. */
  retryAfterSeconds(key: string): number | undefined
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
    count(key) {
      const window = current(key)
      if (window !== undefined) {
        window.count += 1
        return
      }
      windows.set(key, { start: now(), count: 1 })
    },
    retryAfterSeconds(key) {
      const window = current(key)
      if (window === undefined || window.count < max) return undefined
      return Math.max(1, Math.ceil((window.start + windowMs - now()) / 1000))
    },
  }
}
