import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDeviceColumns, percentUsed, usageOf } from './index.js'
import type { DeviceCapacity, PolicySetCapacity } from './index.js'
import { selectRank } from './quickselect.js'
import { nearestRank, sampleDeviation } from './statistics.js'

const space = (totalBytes: number, freeBytes: number, availableBytes: number) => ({
  totalBytes,
  freeBytes,
  availableBytes,
})

const closeTo = (expected: number) => expect.closeTo(expected, Math.max(0, 11 - Math.ceil(Math.log10(expected + 1))))

const upTo = (n: number) => Array.from({ length: n }, (_, i) => n - i)
const sum = (list: readonly number[]) => list.reduce((a, b) => a + b, 0)

function capacityOf(devices: readonly DeviceCapacity[]): PolicySetCapacity[] {
  const columns = createDeviceColumns(1)
  for (const device of devices) columns.add(device)
  return columns.capacityByPolicySet()
}

/** Sums may differ in the last bit, where the order of the additions does. */
function near(capacity: readonly PolicySetCapacity[]) {
  return capacity.map((element) => ({
    ...element,
    usedPct: closeTo(element.usedPct),
    percentUsed: {
      ...element.percentUsed,
      avg: closeTo(element.percentUsed.avg),
      stddev: closeTo(element.percentUsed.stddev),
    },
  }))
}

describe('usage of a filesystem', () => {
  it('equals the output of df for a filesystem with 5 % reserved', () => {
    const total = 52_710_469_632
    const usage = usageOf(space(total, total - 21_180_530_688, 28_845_584_384))
    expect(usage).toEqual({ rawBytes: 50_026_115_072, usedBytes: 21_180_530_688, freeBytes: 28_845_584_384 })
    expect(percentUsed(usage.usedBytes, usage.rawBytes)).toBeCloseTo(42.3389, 4)
  })

  it('has raw equal to all blocks when nothing is reserved', () => {
    expect(usageOf(space(1000, 400, 400))).toEqual({ rawBytes: 1000, usedBytes: 600, freeBytes: 400 })
  })

  it('counts what is used inside the reserved area, up to 100 %', () => {
    const usage = usageOf(space(1000, 20, 0))
    expect(usage).toEqual({ rawBytes: 980, usedBytes: 980, freeBytes: 0 })
    expect(percentUsed(usage.usedBytes, usage.rawBytes)).toBe(100)
  })

  it('counts a filesystem that claims more free blocks than it has as empty', () => {
    expect(usageOf(space(1000, 1200, 900))).toEqual({ rawBytes: 900, usedBytes: 0, freeBytes: 900 })
  })

  it('has 0 % of nothing', () => {
    expect(percentUsed(0, 0)).toBe(0)
  })
})

describe('statistics', () => {
  it('takes the 95th percentile at position ceil(0.95 n)', () => {
    const devices = (n: number) => upTo(n).map((i) => ({ policies: [0], figures: space(200, 200 - i, 200 - i) }))
    const percentiles = [1, 2, 19, 20, 21, 100, 101].map((n) => capacityOf(devices(n))[0]?.percentUsed.pct95)
    expect(percentiles).toEqual([1, 2, 19, 19, 20, 95, 96].map((used) => used / 2))
  })

  it('is not misled by 0.95 being no binary fraction', () => {
    for (let n = 1; n <= 20_000; n++) expect(nearestRank(95, n)).toBe(Number((95n * BigInt(n) + 99n) / 100n))
  })

  it('divides by n − 1, and gives 0 for one value and for none', () => {
    expect(sampleDeviation([2, 4, 4, 4, 5, 5, 7, 9], 5)).toBeCloseTo(Math.sqrt(32 / 7), 12)
    expect(sampleDeviation([3], 3)).toBe(0)
    expect(sampleDeviation([], 0)).toBe(0)
  })

  it('selects what sorting would, at every rank', () => {
    const values = fc.oneof(
      fc.array(fc.double({ noNaN: true }), { minLength: 1, maxLength: 50 }),
      fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 50 }),
    )
    fc.assert(
      fc.property(values, fc.nat(), (list, at) => {
        const rank = at % list.length
        expect(selectRank(Float64Array.from(list), rank)).toBe(Float64Array.from(list).toSorted()[rank])
      }),
    )
  })

  it('selects among many values, where a sample picks the pivot', () => {
    const random = fc.array(fc.integer({ min: 0, max: 5000 }), { minLength: 601, maxLength: 5000, size: 'max' })
    fc.assert(
      fc.property(random, (list) => {
        const rank = nearestRank(95, list.length) - 1
        expect(selectRank(Float64Array.from(list), rank)).toBe(Float64Array.from(list).toSorted()[rank])
      }),
      { numRuns: 30 },
    )
  })
})

describe('capacity by set of policies', () => {
  const half = { figures: space(1000, 500, 500) }

  it('is empty without devices', () => {
    expect(capacityOf([])).toEqual([])
  })

  it('keeps one element for each unordered set, in the order of the indexes, and leaves out devices in no policy', () => {
    const sets = [[10], [2, 0], [], [0], [0, 2], [2], [0, 1, 2], [0, 10]]
    const capacity = capacityOf(sets.map((policies) => ({ policies, ...half })))
    expect(capacity.map(({ policies }) => policies)).toEqual([[0], [0, 1, 2], [0, 2], [0, 10], [2], [10]])
    expect(capacity.map(({ percentUsed: { count } }) => count)).toEqual([1, 1, 2, 1, 1, 1])
  })

  it('has no deviation for one device', () => {
    expect(capacityOf([{ policies: [0], ...half }])[0]).toEqual({
      policies: [0],
      rawBytes: 1000,
      usedBytes: 500,
      freeBytes: 500,
      usedPct: 50,
      percentUsed: { count: 1, min: 50, max: 50, avg: 50, stddev: 0, pct95: 50 },
    })
  })

  it('counts an unread device and adds nothing of it', () => {
    const [element] = capacityOf([
      { policies: [0], ...half },
      { policies: [0], figures: null },
    ])
    expect(element).toMatchObject({ rawBytes: 1000, percentUsed: { count: 2, min: 50, avg: 50, stddev: 0 } })
  })

  it('has zeros for a set whose devices are all unread', () => {
    expect(capacityOf([{ policies: [3], figures: null }])).toEqual([
      {
        policies: [3],
        rawBytes: 0,
        usedBytes: 0,
        freeBytes: 0,
        usedPct: 0,
        percentUsed: { count: 1, min: 0, max: 0, avg: 0, stddev: 0, pct95: 0 },
      },
    ])
  })

  it('follows the plain definition for any devices', () => {
    fc.assert(
      fc.property(fc.array(device(), { maxLength: 60 }), (devices) => {
        expect(capacityOf(devices)).toEqual(near(naive(devices)))
      }),
    )
  })

  it('holds after any sequence of additions, changes and removals', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('add' as const), device: device() }),
      fc.record({ do: fc.constant('change' as const), at: fc.nat(), device: device() }),
      fc.record({ do: fc.constant('remove' as const), at: fc.nat() }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const columns = createDeviceColumns(1)
        const present = new Map<number, DeviceCapacity>()
        for (const one of steps) {
          const row = one.do === 'add' ? undefined : [...present.keys()][one.at % Math.max(1, present.size)]
          if (one.do === 'add') present.set(columns.add(one.device), one.device)
          if (row === undefined) continue
          if (one.do === 'change') columns.change(row, one.device)
          if (one.do === 'remove') columns.remove(row)
          if (one.do === 'change') present.set(row, one.device)
          if (one.do === 'remove') present.delete(row)
        }
        expect(columns.size).toBe(present.size)
        expect(columns.capacityByPolicySet()).toEqual(near(naive([...present.values()])))
      }),
    )
  })
})

function device(): fc.Arbitrary<DeviceCapacity> {
  const bytes = fc.integer({ min: 0, max: 10_000 })
  return fc.record({
    policies: fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 4 }),
    figures: fc.option(fc.record({ totalBytes: bytes, freeBytes: bytes, availableBytes: bytes })),
  })
}

/** The words of the contract, with nothing clever in them. */
function naive(devices: readonly DeviceCapacity[]): PolicySetCapacity[] {
  const sets = [...new Set(devices.map(keyOf))].filter((key) => key !== '')
  return sets.toSorted(byIndexes).map((key) => {
    const assigned = devices.filter((one) => keyOf(one) === key)
    const known = assigned.flatMap((one) => (one.figures === null ? [] : [one.figures]))
    const used = known.map((one) => Math.max(0, one.totalBytes - one.freeBytes))
    const free = known.map((one) => one.availableBytes)
    const percents = used
      .map((bytes, i) => [bytes, bytes + (free[i] ?? 0)] as const)
      .map(([bytes, raw]) => (raw === 0 ? 0 : (100 * bytes) / raw))
      .toSorted((a, b) => a - b)
    const n = percents.length
    const avg = n === 0 ? 0 : sum(percents) / n
    const usedBytes = sum(used)
    const freeBytes = sum(free)
    const rawBytes = usedBytes + freeBytes
    return {
      policies: key.split(',').map(Number),
      rawBytes,
      usedBytes,
      freeBytes,
      usedPct: rawBytes === 0 ? 0 : (100 * usedBytes) / rawBytes,
      percentUsed: {
        count: assigned.length,
        min: closeTo(percents[0] ?? 0) as number,
        max: closeTo(percents[n - 1] ?? 0) as number,
        avg,
        stddev: n < 2 ? 0 : Math.sqrt(sum(percents.map((percent) => (percent - avg) ** 2)) / (n - 1)),
        pct95: closeTo(percents[Math.ceil((95 * n) / 100) - 1] ?? 0) as number,
      },
    }
  })
}

const keyOf = (one: DeviceCapacity) => [...new Set(one.policies)].toSorted((a, b) => a - b).join()

function byIndexes(a: string, b: string): number {
  const [x, y] = [a.split(',').map(Number), b.split(',').map(Number)] as const
  const at = x.findIndex((index, i) => index !== y[i])
  return at === -1 ? x.length - y.length : (x[at] ?? -1) - (y[at] ?? -1)
}
