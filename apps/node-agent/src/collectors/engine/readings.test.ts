import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '@roost/runtime'
import { testHost } from '../testing/test-host.js'
import type { Collector } from './collector.js'
import { gauge, rate } from './metric.js'
import type { Reading } from './reading.js'
import { createReadings } from './readings.js'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
  vi.setSystemTime('2026-11-20T12:00:00Z')
})
afterEach(() => {
  vi.useRealTimers()
})

const second = 1_000

/** Counts up by 100 a second of monotonic time. */
const steady: Collector = {
  name: 'steady',
  read: () => [gauge('steady.level', 'count', 7), rate('steady.growth', 'events/s', performance.now() / 10)],
}

function open(...collectors: Collector[]) {
  const faults: string[] = []
  const onFault = (collector: string, error: unknown): number => faults.push(`${collector}: ${String(error)}`)
  const readings = createReadings({
    collectors,
    host: testHost({}),
    openSlowReader: () => ({ read: async () => new Map(), close: () => {} }),
    clock: systemClock,
    onFault,
  })
  const read = async (ms = 0): Promise<Reading> => {
    await vi.advanceTimersByTimeAsync(ms)
    const reading = readings.read()
    await vi.advanceTimersByTimeAsync(1.5 * second) // for the second round of the first reading, and for the grace time
    return reading
  }
  return { readings, read, faults }
}

function valueOf({ metrics, values }: Reading, name: string): number | undefined {
  return values[metrics.findIndex((metric) => metric.name === name)]
}

describe('a reading', () => {
  it('has rates from the first one', async () => {
    const { read } = open(steady)
    const reading = await read()
    expect(valueOf(reading, 'steady.growth')).toBeCloseTo(100)
    expect(valueOf(reading, 'steady.level')).toBe(7)
    expect(reading.metrics).toContainEqual({ name: 'steady.growth', unit: 'events/s', aggregation: 'sum' })
    expect(reading.time).toBe(Date.parse('2026-11-20T12:00:01Z') / 1_000)
  })

  it('keeps the same list of metrics until a device is added or removed', async () => {
    let devices = ['sda', 'sdb']
    const disks: Collector = {
      name: 'disks',
      read: () => devices.map((disk) => rate(`disk.${disk}.ops`, 'operations/s', performance.now())),
    }
    const { read } = open(disks, steady)
    const first = await read()
    const same = await read(10 * second)
    expect(same.metrics).toBe(first.metrics)
    devices = ['sdb', 'sdc']
    const changed = await read(10 * second)
    expect(changed.metrics).not.toBe(first.metrics)
    expect(changed.metrics.map(({ name }) => name)).not.toContain('disk.sda.ops')
    expect(valueOf(changed, 'disk.sdb.ops')).toBeCloseTo(1_000)
    expect(valueOf(changed, 'disk.sdc.ops')).toBeNaN()
    expect(valueOf(changed, 'steady.growth')).toBeCloseTo(100)
    expect(valueOf(await read(10 * second), 'disk.sdc.ops')).toBeCloseTo(1_000)
  })

  it('uses the first collector of a name', async () => {
    const other: Collector = { name: 'other', read: () => [gauge('steady.level', 'count', 99)] }
    const reading = await open(steady, other).read()
    expect(valueOf(reading, 'steady.level')).toBe(7)
    expect(new Set(reading.metrics.map(({ name }) => name)).size).toBe(reading.metrics.length)
  })
})

describe('a collector', () => {
  it('that fails is reported, and keeps its names without values', async () => {
    let fault: Error | undefined
    const fragile: Collector = {
      name: 'fragile',
      read() {
        if (fault) throw fault
        return [gauge('fragile.level', 'count', 1), rate('fragile.growth', 'events/s', performance.now() / 10)]
      },
    }
    const { read, faults } = open(fragile, steady)
    const good = await read()
    expect(valueOf(good, 'roost.collector.fragile.success')).toBe(1)
    fault = new Error('EIO: /proc/fragile')
    const bad = await read(10 * second)
    await read(10 * second)
    expect(bad.metrics).toBe(good.metrics)
    expect(valueOf(bad, 'roost.collector.fragile.success')).toBe(0)
    expect(valueOf(bad, 'fragile.level')).toBeNaN()
    expect(valueOf(bad, 'steady.growth')).toBeCloseTo(100)
    expect(faults).toEqual(['fragile: Error: EIO: /proc/fragile'])
    fault = undefined
    const again = await read(10 * second)
    expect(valueOf(again, 'roost.collector.fragile.success')).toBe(1)
    expect(valueOf(again, 'fragile.growth')).toBeCloseTo(100)
  })

  it('that reads a file of a device with read fails with the remedy', async () => {
    const reads: Collector = {
      name: 'reads',
      read: ({ machine }) => [gauge('reads.a', 'count', Number(machine.read('/sys/class/hwmon/hwmon0/a')))],
    }
    const { read, faults } = open(reads)
    expect(valueOf(await read(), 'roost.collector.reads.success')).toBe(0)
    expect(faults).toEqual([expect.stringContaining('hwmon0/a may block its reader: read it with readSlowly')])
  })

  it('that rejects fails like one that throws', async () => {
    const rejecting: Collector = { name: 'rejecting', read: async () => Promise.reject(new Error('no')) }
    const { read, faults } = open(rejecting)
    expect(valueOf(await read(), 'roost.collector.rejecting.success')).toBe(0)
    expect(faults).toEqual(['rejecting: Error: no'])
  })

  it('that hangs is asked once, counts as failed, and delays no other', async () => {
    let asked = 0
    let answer: (() => void) | undefined
    const hanging: Collector = {
      name: 'hanging',
      read: async () => {
        asked++
        await new Promise<void>((resolve) => (answer = resolve))
        return [gauge('hanging.level', 'count', 1)]
      },
    }
    const { readings, read } = open(hanging, steady)
    await read()
    await vi.advanceTimersByTimeAsync(10 * second)
    const before = performance.now()
    const late = readings.read()
    await vi.advanceTimersByTimeAsync(300)
    const reading = await late
    expect(performance.now() - before).toBeLessThanOrEqual(300)
    expect(valueOf(reading, 'roost.collector.hanging.success')).toBe(0)
    expect(valueOf(reading, 'roost.collector.hanging.duration')).toBeGreaterThan(10)
    expect(valueOf(reading, 'steady.growth')).toBeCloseTo(100)
    expect(asked).toBe(1)
    answer?.()
    await read(10 * second)
    expect(asked).toBe(2)
  })

  it('with a period of its own keeps its values for that period', async () => {
    let asked = 0
    const dear: Collector = {
      name: 'dear',
      minIntervalMs: 60 * second,
      read: () => [gauge('dear.count', 'count', ++asked)],
    }
    const { read } = open(dear)
    await read()
    for (let i = 0; i < 5; i++) expect(valueOf(await read(8.5 * second), 'dear.count')).toBe(1)
    expect(valueOf(await read(8.5 * second), 'dear.count')).toBe(2)
  })

  it('that stops answering loses its values after three periods', async () => {
    let silent = false
    const falling: Collector = {
      name: 'falling',
      read: async () => (silent ? new Promise<never>(() => {}) : [gauge('falling.level', 'count', 1)]),
    }
    const { read } = open(falling)
    await read()
    silent = true
    expect(valueOf(await read(8.5 * second), 'falling.level')).toBe(1)
    await read(8.5 * second)
    await read(8.5 * second)
    expect(valueOf(await read(8.5 * second), 'falling.level')).toBeNaN()
  })
})

describe('a clock that jumps', () => {
  const hour = 3_600 * second
  it.each([
    ['10 minutes forward', hour / 6],
    ['10 minutes back', -hour / 6],
    ['a day forward', 24 * hour],
    ['a day back', -24 * hour],
    ['an hour back', -hour],
  ])('%s changes the time of the reading and no rate', async (_name, jumpMs) => {
    const { read } = open(steady)
    const before = await read()
    vi.setSystemTime(Date.now() + jumpMs)
    const rates = []
    for (let i = 0; i < 5; i++) rates.push(valueOf(await read(10 * second), 'steady.growth') ?? 0)
    expect(rates.map((value) => Math.round(value))).toEqual([100, 100, 100, 100, 100])
    expect((await read(10 * second)).time - before.time).toBeCloseTo(jumpMs / second + 68, 0)
  })
})
