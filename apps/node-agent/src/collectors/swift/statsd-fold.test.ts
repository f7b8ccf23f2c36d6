import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Measurement } from '../engine/metric.js'
import { StatsdFold } from './statsd-fold.js'

const second = 1_000
const hour = 3_600 * second
const fixture = join(import.meta.dirname, 'fixtures/swift-2.30')

function send(fold: StatsdFold, ...datagrams: readonly string[]): void {
  for (const text of datagrams) fold.add(Buffer.from(text, 'latin1'))
}
function valuesOf(measurements: readonly Measurement[], prefix = ''): Readonly<Record<string, number>> {
  const own = measurements.filter(({ name }) => name.startsWith(prefix))
  return Object.fromEntries(own.map(({ name, value }) => [name.slice(prefix.length), value]))
}
const namesOf = (measurements: readonly Measurement[]): readonly string[] => measurements.map(({ name }) => name)
const health = (fold: StatsdFold, at: number) => valuesOf(fold.read(at), 'roost.statsd.')

describe('an event of Swift', () => {
  it('becomes metrics of every name that a real cluster has sent', async () => {
    const fold = new StatsdFold(1_000, 0)
    for (const line of readFileSync(join(fixture, 'sent.txt'), 'utf8').trim().split('\n')) {
      const [name = '', type = '', times = ''] = line.split(' ')
      for (let i = 1; i <= Number(times); i++) send(fold, `${name}:${type.startsWith('|ms') ? i / 8 : 1}${type}`)
    }
    const lines = fold
      .read(10 * second)
      .map(({ name, unit, value }) => `${name} ${Number(value.toPrecision(9))} ${unit}\n`)
    await expect(lines.toSorted().join('')).toMatchFileSnapshot(join(fixture, 'expected.txt'))
  })

  it('counts in one report interval; a sampled event counts for those that were not sent', () => {
    const fold = new StatsdFold(10, 0)
    send(fold, ...Array.from({ length: 100 }, (_, i) => `t:${i + 1}|ms|@0.1`), 'c:3|c|@0.5', 'c:1|c')
    const first = fold.read(10 * second)
    expect(valuesOf(first, 't.')).toMatchObject({ count: 1_000, rate: 100, mean: 50.5, max: 100 })
    const { p50 = 0, p95 = 0, p99 = 0 } = valuesOf(first, 't.')
    expect([p50 / 50, p95 / 95, p99 / 99].every((ratio) => Math.abs(ratio - 1) < 0.016)).toBe(true)
    expect(valuesOf(first, 'c.')).toEqual({ count: 7, rate: 0.7 })
    send(fold, 't:4|ms', 'c:1|c')
    const next = fold.read(15 * second)
    expect(valuesOf(next, 't.')).toEqual({ count: 1, rate: 0.2, mean: 4, max: 4, p50: 4, p95: 4, p99: 4 })
    expect(valuesOf(next, 'c.')).toEqual({ count: 1, rate: 0.2 })
  })

  it('has the same name with the log_name of Debian’s packages', () => {
    const fold = new StatsdFold(10, 0)
    send(fold, 'swift-object-server.async_pendings:1|c', 'object-server.async_pendings:1|c', 'swift-proxy-server.x:1|c')
    send(fold, 'swift-object:1|c', 'swift-proxy-cache.1:1|c', 'swift.object-server.x:1|c', 'swift-object-server:1|c')
    const names = namesOf(fold.read(10 * second)).filter((name) => name.endsWith('.count'))
    expect(names.toSorted()).toEqual([
      'object-server.async_pendings.count',
      'proxy-server.x.count',
      'swift-object-server.count',
      'swift-object.count',
      'swift-proxy-cache.1.count',
      'swift.object-server.x.count',
    ])
  })

  it('leaves counts of 0 and no times in the next interval', () => {
    const fold = new StatsdFold(10, 0)
    send(fold, 't:4|ms', 'x.xfer:4|c')
    fold.read(10 * second)
    const silent = fold.read(20 * second)
    const none = { mean: Number.NaN, max: Number.NaN, p50: Number.NaN, p95: Number.NaN, p99: Number.NaN }
    expect(valuesOf(silent, 't.')).toEqual({ count: 0, rate: 0, ...none })
    expect(silent.filter(({ name }) => name.startsWith('x.'))).toEqual([
      { name: 'x.xfer.count', unit: 'bytes', value: 0 },
      { name: 'x.xfer.rate', unit: 'bytes/s', value: 0 },
    ])
  })

  it('may be one of several lines in a datagram; a damaged line is counted and the others are read', () => {
    const fold = new StatsdFold(10, 0)
    send(fold, 'a:1|c\nb:2|c\n', 'a:1|c\nnonsense\nb:1|c', '', '\n\n')
    const read = fold.read(10 * second)
    expect(valuesOf(read)).toMatchObject({ 'a.count': 2, 'b.count': 3 })
    expect(valuesOf(read, 'roost.statsd.')).toEqual({ datagrams: 4, malformed: 1, dropped: 0, names: 2 })
  })

  it('has a name for queries: characters with a meaning there become _, and equal names are one', () => {
    const fold = new StatsdFold(10, 0)
    send(fold, 'a b,c.*/d:1|c', 'a_b_c.__d:2|c', 'a\u{e9}\u{7}:1|c')
    expect(valuesOf(fold.read(10 * second))).toMatchObject({ 'a_b_c.__d.count': 3, 'a__.count': 1 })
  })

  it('keeps a counter and a timer of one name apart', () => {
    const fold = new StatsdFold(10, 0)
    send(fold, 'a.b:5|c', 'a.b:9|ms')
    expect(fold.read(10 * second).filter(({ name }) => name === 'a.b.count')).toHaveLength(2)
    expect(health(fold, 20 * second)).toMatchObject({ names: 2 })
  })

  it('adds up between readings, in any order', () => {
    const line = fc.tuple(fc.constantFrom('a', 'b.c', 'd-e.f'), fc.integer({ min: -9, max: 9 }))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 60 }), fc.nat(60), (lines, at) => {
        const fold = new StatsdFold(10, 0)
        const sums = [new Map<string, number>(), new Map<string, number>()]
        const addAll = (part: typeof lines, sum: Map<string, number> | undefined): void => {
          for (const [name, value] of part) {
            send(fold, `${name}:${value}|c`)
            sum?.set(name, (sum.get(name) ?? 0) + value)
          }
        }
        const seen = ['a', 'b.c', 'd-e.f'].map((name) => `${name}:0|c`)
        send(fold, ...seen)
        addAll(lines.slice(0, at), sums[0])
        const first = valuesOf(fold.read(10 * second))
        addAll(lines.slice(at), sums[1])
        const next = valuesOf(fold.read(20 * second))
        for (const name of ['a', 'b.c', 'd-e.f']) {
          expect(first[`${name}.count`]).toBe(sums[0]?.get(name) ?? 0)
          expect(next[`${name}.count`]).toBe(sums[1]?.get(name) ?? 0)
        }
      }),
    )
  })
})

describe('the set of names', () => {
  it('changes at most every 30 s, without losing events', () => {
    const fold = new StatsdFold(100, 0)
    send(fold, 'a:1|c')
    const first = namesOf(fold.read(10 * second))
    expect(first).toContain('a.count')
    send(fold, 'b:1|c', 't:8|ms')
    expect(namesOf(fold.read(20 * second))).toEqual(first)
    send(fold, 'b:3|c')
    expect(namesOf(fold.read(30 * second))).toEqual(first)
    send(fold, 'b:1|c')
    const published = fold.read(40 * second)
    expect(valuesOf(published, 'b.')).toEqual({ count: 5, rate: 5 / 30 })
    expect(valuesOf(published, 't.')).toMatchObject({ count: 1, p50: 8 })
    expect(valuesOf(fold.read(50 * second), 'b.')).toEqual({ count: 0, rate: 0 })
  })

  it('loses names that were idle for a day, checked once an hour', () => {
    const fold = new StatsdFold(100, 0)
    send(fold, 'old:1|c', 'daily:1|c')
    fold.read(10 * second)
    let changes = 0
    let names = namesOf(fold.read(20 * second))
    for (let at = hour; at <= 30 * hour; at += 600 * second) {
      send(fold, 'busy:1|c')
      if (at === 20 * hour) send(fold, 'daily:1|c')
      const next = namesOf(fold.read(at))
      if (next.join() !== names.join()) changes++
      names = next
    }
    expect(names).toEqual(expect.arrayContaining(['daily.count', 'busy.count']))
    expect(names).not.toContain('old.count')
    // `busy` came, `old` went.
    expect(changes).toBe(2)
    send(fold, 'old:4|c')
    expect(valuesOf(fold.read(31 * hour), 'old.')).toMatchObject({ count: 4 })
  })

  it('loses names that were idle for an hour when others were dropped', () => {
    const fold = new StatsdFold(4, 0)
    send(fold, 'a.1:1|c', 'b.1:1|c', 'c.1:1|c', 'd.1:1|c', 'e.1:1|c')
    fold.read(10 * second)
    send(fold, 'a.1:1|c')
    fold.read(hour / 2)
    expect(health(fold, hour + 10 * second)).toMatchObject({ names: 1 })
    send(fold, 'e.1:6|c')
    expect(valuesOf(fold.read(hour + 60 * second), 'e.1.')).toMatchObject({ count: 6 })
  })

  it('leaves half of its space to other families, and keeps known names when it drops new ones', () => {
    const fold = new StatsdFold(10, 0)
    for (let i = 0; i < 100; i++) send(fold, `object-server.PUT.d${i}.timing:1|ms`)
    for (let i = 0; i < 100; i++) send(fold, `tempauth.AUTH_${i}.unauthorized:1|c`)
    send(fold, 'object-server.PUT.d0.timing:3|ms', 'proxy-server.x:1|c')
    const read = fold.read(10 * second)
    expect(valuesOf(read, 'object-server.PUT.d0.timing.')).toMatchObject({ count: 2, max: 3 })
    expect(health(fold, 20 * second)).toMatchObject({ names: 10, dropped: 95 + 95 + 1 })
  })

  it('stays far below the limit of a catalog, however long the names are', () => {
    const fold = new StatsdFold(5_000, 0)
    for (let i = 0; i < 5_000; i++) send(fold, `f${i % 7}.${'x'.repeat(180)}${i}:1|ms`)
    const definitions = fold.read(10 * second).map(({ name, unit }) => ({ name, unit, aggregation: 'mean' }))
    expect(definitions.length).toBeGreaterThan(2_000)
    expect(JSON.stringify(definitions).length).toBeLessThan(768 << 10)
  })
})
