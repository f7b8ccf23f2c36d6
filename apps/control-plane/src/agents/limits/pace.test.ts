import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { heartbeatIntervalMs, isOutOfPace, reconnectSlotMs, reconnectSpreadMs } from './pace.js'
import { TokenBucket } from '../../services/token-bucket.js'

const fleets = fc.integer({ min: 1, max: 100_000 })

describe('the heartbeat', () => {
  it('is 15 s until that would be too many messages, and never causes more than 200 a second', () => {
    expect(heartbeatIntervalMs(1, 15_000)).toBe(15_000)
    expect(heartbeatIntervalMs(2_000, 15_000)).toBe(15_000)
    fc.assert(
      fc.property(fleets, (nodes) => {
        expect(nodes / (heartbeatIntervalMs(nodes, 15_000) / 1_000)).toBeLessThanOrEqual(200)
      }),
    )
  })

  it('is sent again only when it differs by a fifth', () => {
    expect(isOutOfPace(15_000, 17_000)).toBe(false)
    expect(isOutOfPace(15_000, 19_000)).toBe(true)
    expect(isOutOfPace(60_000, 15_000)).toBe(true)
  })
})

describe('the way back of a fleet', () => {
  it('is spread over half a minute for a thousand nodes, a second for one, two minutes at most', () => {
    expect([1, 1_000, 100_000].map((nodes) => reconnectSpreadMs(nodes, 30))).toEqual([1_000, 30_000, 120_000])
  })

  it('gives each node a slot of its own', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2_000 }), (count) => {
        const slots = Array.from({ length: count }, (_, index) => reconnectSlotMs(index, count, 30_000))
        expect(slots).toEqual(slots.toSorted((a, b) => a - b))
        expect(slots[0]).toBeGreaterThanOrEqual(500)
        expect(slots.at(-1)).toBeLessThanOrEqual(30_500)
      }),
    )
  })
})

describe('a token bucket', () => {
  it('lets a burst through, then so many a second', () => {
    const bucket = new TokenBucket(50, 500, 0)
    const accepted = (at: number) => Array.from({ length: 1_000 }, () => bucket.accept(at)).filter(Boolean).length
    expect(accepted(0)).toBe(500)
    expect(accepted(1_000)).toBe(50)
    expect(accepted(1_100)).toBe(5)
    expect(accepted(1_000_000)).toBe(500)
  })
})
