import { encodeMetricFrame } from '@roost/api-types/agent'
import { beforeEach, describe, expect, it } from 'vitest'
import { createLatestValues } from './latest-values.js'
import type { LatestValues } from './latest-values.js'

const now = 1_000_000
let latest: LatestValues
/** By how many seconds the wall clock was set since the start of the test. */
let wallJump = 0
beforeEach(() => {
  wallJump = 0
  latest = createLatestValues({ now: () => (now + wallJump) * 1000, monotonic: () => now * 1000 })
})

function catalogue(nodeId: number, names: readonly string[], id = 1) {
  return latest.storeCatalogue(nodeId, {
    id,
    metrics: names.map((name) => ({ name, unit: 'count', aggregation: 'sum' as const })),
  })
}

function frame(nodeId: number, values: readonly number[], time = now, id = 1) {
  latest.storeFrame(nodeId, encodeMetricFrame({ catalogue: id, sequence: 1n, time, values: Float64Array.from(values) }))
}

function stored(nodeId: number) {
  const node = latest.get(nodeId)
  return { values: [...(node?.values ?? [])], times: [...(node?.times ?? [])] }
}

describe('latest values', () => {
  it('are those of the last frame, with its time', () => {
    catalogue(1, ['a', 'b'])
    frame(1, [1, 2], now - 10)
    frame(1, [3, 4], now)
    expect(stored(1)).toEqual({ values: [3, 4], times: [now, now] })
    expect(latest.counters).toMatchObject({ frames: 2, samples: 4 })
  })

  it('keep a value and its time while later frames have none for it', () => {
    catalogue(1, ['a', 'b'])
    frame(1, [1, 2], now - 10)
    frame(1, [Number.NaN, 4])
    frame(1, [Infinity, 5])
    expect(stored(1)).toEqual({ values: [1, 5], times: [now - 10, now] })
  })

  it('never lie in the future of the control plane', () => {
    catalogue(1, ['a'])
    frame(1, [1], now + 3600)
    expect(stored(1).times).toEqual([now])
  })

  it('keep their age when the clock is set back, and are replaced by the next frame', () => {
    catalogue(1, ['a', 'b', 'c'])
    frame(1, [1, 2, Number.NaN], now - 20)
    wallJump = -86_400
    const at = now + wallJump
    expect(stored(1).times).toEqual([at - 20, at - 20, Number.NaN])
    expect(latest.getMany([1])[0]?.newest).toBe(at - 20)
    frame(1, [3, Number.NaN, Number.NaN], at)
    expect(stored(1)).toEqual({ values: [3, 2, Number.NaN], times: [at, at - 20, Number.NaN] })
    expect(latest.counters.late).toBe(0)
  })

  it('stay at their time when the clock is set forward, as after a suspend, and move back with it', () => {
    catalogue(1, ['a'])
    frame(1, [1], now)
    wallJump = 3_600
    expect(stored(1).times).toEqual([now])
    frame(1, [2], now + 3_600)
    wallJump = 0
    expect(stored(1)).toEqual({ values: [2], times: [now] })
  })

  it('are not replaced by an older frame that comes late', () => {
    catalogue(1, ['a'])
    frame(1, [2], now)
    frame(1, [1], now - 60)
    expect(stored(1).values).toEqual([2])
    expect(latest.counters.late).toBe(1)
  })

  it('pass over frames of a catalogue that was not sent', () => {
    frame(1, [1])
    catalogue(1, ['a'])
    frame(1, [1], now, 7)
    expect(stored(1).times).toEqual([Number.NaN])
    expect(latest.counters.unknownCatalogue).toBe(2)
  })

  it('refuse a frame that does not fit its catalogue, has no time, or is none', () => {
    catalogue(1, ['a'])
    expect(() => frame(1, [1, 2])).toThrow('A frame of 2 values for a catalogue of 1')
    expect(() => frame(1, [1], Number.NaN)).toThrow('A frame has no time')
    expect(() => latest.storeFrame(1, new Uint8Array(40))).toThrow('Unknown kind')
  })

  it('of names that stay are kept when the catalogue changes', () => {
    catalogue(1, ['a', 'b'])
    frame(1, [1, 2])
    expect(catalogue(1, ['c', 'b'], 2)).toBe(true)
    expect(stored(1)).toEqual({ values: [Number.NaN, 2], times: [Number.NaN, now] })
  })

  it('of a node whose agent sends the same names again stay as they are', () => {
    catalogue(1, ['a'])
    frame(1, [1])
    expect(catalogue(1, ['a'], 2)).toBe(false)
    frame(1, [5], now, 2)
    expect(stored(1).values).toEqual([5])
  })

  it('share their names between nodes, and drop unused names', () => {
    catalogue(1, ['a', 'b'])
    catalogue(2, ['a', 'b'])
    expect(latest.get(1)?.catalogue).toBe(latest.get(2)?.catalogue)
    catalogue(2, ['a', 'c'])
    expect(latest.names).toBe(3)
    latest.forget(1)
    expect(latest.names).toBe(2)
    latest.forget(2)
    expect([latest.names, latest.size]).toEqual([0, 0])
  })

  it('refuse a catalogue with a name twice, or with an empty name', () => {
    expect(() => catalogue(1, ['a', 'a'])).toThrow("The metric 'a' appears twice in the catalogue.")
    expect(() => catalogue(1, [''])).toThrow('has no name')
    expect([latest.names, latest.size]).toEqual([0, 0])
  })
})
