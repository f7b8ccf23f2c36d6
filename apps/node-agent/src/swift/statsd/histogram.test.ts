import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Histogram } from './histogram.js'

const shares = [0.5, 0.95, 0.99]
const time = fc.double({ min: 0.001, max: 1e7, noNaN: true })

/** Computes the nearest rank over all values, each repeated by its weight. */
function naive(samples: readonly (readonly [value: number, weight: number])[]): readonly number[] {
  const all = samples
    .flatMap(([value, weight]) => Array.from({ length: weight }, () => value))
    .toSorted((a, b) => a - b)
  return shares.map((share) => all[Math.max(0, Math.ceil(share * all.length - 1e-9) - 1)] as number)
}

describe('a histogram', () => {
  it('has the percentiles of a sorted list within 1.6 %, for any values and weights', { timeout: 300_000 }, () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(time, fc.integer({ min: 1, max: 20 })), { minLength: 1, maxLength: 300 }),
        (samples) => {
          const histogram = new Histogram()
          for (const [value, weight] of samples) histogram.add(value, weight)
          const expected = naive(samples)
          histogram.percentiles(shares).forEach((value, i) => {
            expect(Math.abs(value / (expected[i] ?? 0) - 1)).toBeLessThan(0.016)
          })
          const weights = samples.reduce((sum, [, weight]) => sum + weight, 0)
          expect(histogram.total).toBe(weights)
          expect(histogram.mean).toBeCloseTo(
            samples.reduce((sum, [value, weight]) => sum + value * weight, 0) / weights,
            5,
          )
          expect(histogram.max).toBe(Math.max(...samples.map(([value]) => value)))
        },
      ),
      { numRuns: process.env.ROOST_TEST_LONG ? 5_000 : 200 },
    )
  })

  it('is exact for one value, also outside its range', () => {
    for (const value of [0, 1e-9, 7.25, 1e12]) {
      const histogram = new Histogram()
      histogram.add(value, 10)
      expect([...histogram.percentiles(shares), histogram.mean, histogram.max]).toEqual(Array(5).fill(value))
    }
  })

  it('has no statistics without a value, and none of the past after a reset', () => {
    const histogram = new Histogram()
    histogram.add(900, 1)
    histogram.reset()
    expect([histogram.mean, histogram.max, ...histogram.percentiles(shares)]).toEqual(Array(5).fill(Number.NaN))
    histogram.add(3, 1)
    expect([histogram.total, histogram.mean, histogram.max, ...histogram.percentiles(shares)]).toEqual([
      1, 3, 3, 3, 3, 3,
    ])
  })
})
