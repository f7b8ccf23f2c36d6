import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { divideCache, requirePart } from './cache-sizes.js'

const gib = 1024
const shares = (...sizes: readonly (number | null)[]) =>
  sizes.map((cacheMegabytes, i) => ({ share: i + 1, cacheMegabytes }))
const divided = (sizes: readonly (number | null)[], disk: number) => [...divideCache(shares(...sizes), disk).values()]

describe('the sizes of caches', () => {
  it('are equal parts of 80 % of the disk, of which there are 8, 16, 32 …', () => {
    const parts = (count: number) => divided(Array<null>(count).fill(null), 100 * gib)
    expect(parts(1)).toEqual([10 * gib])
    expect(new Set(parts(8))).toEqual(new Set([10 * gib]))
    expect(new Set(parts(9))).toEqual(new Set([5 * gib]))
    expect(parts(17)[16]).toBe(2.5 * gib)
  })

  it('are those that the operator set, scaled where all together do not fit', () => {
    expect(divided([300, null], 100 * gib)).toEqual([300, 10 * gib])
    expect(divided([1000, 3000], 1000)).toEqual([200, 600])
  })

  it('never exceed 80 % of the disk together', () => {
    const size = fc.option(fc.integer({ min: 16, max: 1_000_000 }))
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1000, max: 10_000_000 }),
        (sizes, disk) => {
          const sum = divided(sizes, disk).reduce((total, one) => total + one, 0)
          // A cache has 1 MB at least.
          expect(sum).toBeLessThanOrEqual(0.8 * disk + sizes.length)
        },
      ),
    )
  })
})

describe('a new share', () => {
  it('is refused where its part would be below 1 GiB, with the disk that it needs', () => {
    const all = shares(null)
    expect(() => requirePart(all, all, 10 * gib - 1)).toThrow('Use a disk of 10240 MB, or set cache_size_mb')
    expect(() => requirePart(all, all, 10 * gib)).not.toThrow()
    const nine = shares(...Array.from({ length: 9 }, () => null))
    expect(() => requirePart(nine.slice(8), nine, 10 * gib)).toThrow('Use a disk of 20480 MB')
  })

  it('is taken with a size of its own, and others are not refused because of it', () => {
    const all = shares(null, 16)
    expect(() => requirePart(all.slice(1), all, 600)).not.toThrow()
    expect(() => requirePart([], all, 600)).not.toThrow()
  })
})
