import { expect, it } from 'vitest'
import { backoffMs } from './backoff.js'

it('doubles with each failure, up to the longest', () => {
  const limits = { firstMs: 1000, longestMs: 50_000 }
  const waits = [1, 2, 3, 6, 7, 10_000].map((failures) => backoffMs(failures, limits))
  expect(waits).toEqual([1000, 2000, 4000, 32_000, 50_000, 50_000])
})
