import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from './clock.js'
import { DataDirWatch, nearlyFullBelow } from './data-dir-watch.js'

const bounds = { leastBytes: 100, mostBytes: 1_000 }

/** Undefined: the disk cannot be read. */
let available: number | undefined
let readings: [number, boolean][]
let faults: number
let watch: DataDirWatch
beforeEach(() => {
  vi.useFakeTimers()
  available = 5_000
  readings = []
  faults = 0
  const reader = {
    async read() {
      if (available === undefined) throw new Error('It hangs.')
      return { totalBytes: 10_000, availableBytes: available }
    },
    close: () => {},
  }
  watch = new DataDirWatch({
    reader,
    bounds,
    clock: systemClock,
    onReading: ({ availableBytes }, isNearlyFull) => readings.push([availableBytes, isNearlyFull]),
    onFault: () => faults++,
  })
})
afterEach(() => vi.useRealTimers())

it('a twentieth of the disk is the limit, within bounds', () => {
  const limit = (totalBytes: number) => nearlyFullBelow({ totalBytes, availableBytes: 0 }, bounds)
  expect([1_000, 10_000, 1_000_000].map(limit)).toEqual([100, 500, 1_000])
})

describe('the disk of a data directory', () => {
  it('is read at once, and each ten minutes', async () => {
    expect(watch.availableBytes).toBeNaN()
    await vi.advanceTimersByTimeAsync(0)
    expect([watch.availableBytes, readings]).toEqual([5_000, [[5_000, false]]])
    await vi.advanceTimersByTimeAsync(1_200_000)
    expect(readings).toHaveLength(3)
  })

  it('is read each minute while there is less than twice the limit, and reported below it', async () => {
    available = 999
    await vi.advanceTimersByTimeAsync(60_000)
    available = 499
    await vi.advanceTimersByTimeAsync(60_000)
    available = 5_000
    await vi.advanceTimersByTimeAsync(60_000)
    expect(readings).toEqual([
      [999, false],
      [999, false],
      [499, true],
      [5_000, false],
    ])
  })

  it('has no value while it cannot be read, which is reported once', async () => {
    await vi.advanceTimersByTimeAsync(0)
    available = undefined
    await vi.advanceTimersByTimeAsync(1_800_000)
    expect([watch.availableBytes, faults]).toEqual([Number.NaN, 1])
    available = 5_000
    await vi.advanceTimersByTimeAsync(600_000)
    expect(watch.availableBytes).toBe(5_000)
  })

  it('is not read after the end', async () => {
    await vi.advanceTimersByTimeAsync(0)
    await watch.stop()
    await vi.advanceTimersByTimeAsync(1_200_000)
    expect(readings).toHaveLength(1)
  })
})
