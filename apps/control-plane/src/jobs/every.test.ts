import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { every } from './every.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('a periodic job', () => {
  it('runs a period after its last run ended, and not after it was stopped', async () => {
    let runs = 0
    const job = every(1000, 'count', async () => void runs++, { warn: vi.fn<() => void>() })
    await vi.advanceTimersByTimeAsync(3500)
    expect(runs).toBe(3)
    await job.stop()
    await vi.advanceTimersByTimeAsync(3500)
    expect(runs).toBe(3)
  })

  it('comes again after a run that failed', async () => {
    const warn = vi.fn<() => void>()
    let runs = 0
    const fail = async () => {
      runs++
      throw new Error('no database')
    }
    const job = every(1000, 'fail', fail, { warn })
    await vi.advanceTimersByTimeAsync(2500)
    expect(runs).toBe(2)
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ job: 'fail' }), expect.any(String))
    await job.stop()
  })

  it('is stopped only when the run that is under way has ended', async () => {
    let ended = false
    const slow = async () => {
      await new Promise((resolve) => setTimeout(resolve, 500))
      ended = true
    }
    const job = every(1000, 'slow', slow, { warn: vi.fn<() => void>() })
    await vi.advanceTimersByTimeAsync(1100)
    const stopping = job.stop()
    await vi.advanceTimersByTimeAsync(500)
    await stopping
    expect(ended).toBe(true)
  })
})
