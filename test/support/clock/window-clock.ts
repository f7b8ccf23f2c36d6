import { systemClock } from '@roost/runtime'
import type { Clock } from '@roost/runtime'

/** The real clock, but for timers that are as long as a window that a test ends, and for a wall clock that it sets. */
export interface WindowClock {
  readonly clock: Clock
  /** Sets the wall clock forward. */
  advance(ms: number): void
  /** Lets every window end. */
  end(): void
  /** Returns how many windows are open. */
  waiting(): number
  reset(): void
}

/** `longestMs`: a timer is a window from half of it on. */
export function windowClock(longestMs: number): WindowClock {
  const timers = new Set<() => void>()
  let offset = 0
  return {
    clock: {
      ...systemClock,
      now: () => systemClock.now() + offset,
      after(delayMs, callback) {
        if (delayMs < longestMs / 2.1 || delayMs > longestMs) return systemClock.after(delayMs, callback)
        timers.add(callback)
        return () => timers.delete(callback)
      },
    },
    advance(ms) {
      offset += ms
    },
    end() {
      for (const callback of timers) callback()
      timers.clear()
    },
    waiting: () => timers.size,
    reset() {
      offset = 0
      timers.clear()
    },
  }
}
