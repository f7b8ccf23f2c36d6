import { systemClock } from '@roost/runtime'
import { vi } from 'vitest'

/** The time of the control plane and of the agents, which only `pass` moves. */
export interface SimulatedTime {
  pass(ms: number): Promise<void>
  stop(): void
}

/** Between two calls of `pass` the monotonic clock goes on for so long: messages of a busy node wait by it. */
const mostBetweenMs = 900

/** Replaces the clocks of this process. Call it before the control plane is built. */
export function simulateTime(beginMs: number): SimulatedTime {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: beginMs })
  let passedAt: number | null = performance.now()
  let lastMs = 0
  const monotonic = vi.spyOn(systemClock, 'monotonic').mockImplementation(() => {
    const betweenMs = passedAt === null ? 0 : Math.min(mostBetweenMs, performance.now() - passedAt)
    lastMs = Math.max(lastMs, Date.now() - beginMs + betweenMs)
    return lastMs
  })
  return {
    async pass(ms) {
      passedAt = null
      await vi.advanceTimersByTimeAsync(ms)
      passedAt = performance.now()
    },
    stop() {
      monotonic.mockRestore()
      vi.useRealTimers()
    },
  }
}
