import { describe, expect, it } from 'vitest'
import { linesOf, sumOf, withLive } from './series.js'

const meta = { start: 1_000, step: 10, points: 3, level: 'raw' as const, complete_until: 1_020 }
const reading = { metric_name: 'a.rx', unit: 'bytes/s', times: [1_001, 1_021], values: [1, 3] }

describe('the lines of a history', () => {
  it('puts each reading into its step, and shows a step without a reading as a gap', () => {
    expect(linesOf({ meta, metrics: [reading] })).toMatchObject({
      times: [1_000, 1_010, 1_020],
      lines: [{ name: 'a.rx', values: [1, null, 3] }],
    })
  })

  it('goes on with the readings that are newer, once each', () => {
    const polls = [1_015, 1_030, 1_030, 1_040].map((timestamp) => [
      { metric_name: 'a.rx', timestamp, value: timestamp },
    ])
    const { times, lines } = withLive(linesOf({ meta, metrics: [reading] }), polls)
    expect(times).toEqual([1_000, 1_010, 1_020, 1_030, 1_040])
    expect(lines[0]?.values).toEqual([1, null, 3, 1_030, 1_040])
  })

  it('does not repeat a value at the time of a metric that the node does not report', () => {
    const polls = [
      { metric_name: 'a.rx', timestamp: 1_021, value: 3 },
      { metric_name: 'none', timestamp: 1_900, value: null },
    ]
    expect(withLive(linesOf({ meta, metrics: [reading] }), [polls]).lines[0]?.values).toEqual([1, null, 3, 3])
    expect(withLive(linesOf({ meta, metrics: [reading] }), [polls]).times.at(-1)).toBe(1_021)
  })

  it('leaves a gap before a reading that is too far away, and after the history while there is none', () => {
    const history = linesOf({ meta: { ...meta, points: 6 }, metrics: [reading] })
    expect(withLive(history, [])).toEqual(history)
    expect(history.lines[0]?.values).toEqual([1, null, 3, null, null, null])
    const polls = [1_051, 1_061, 1_300].map((timestamp) => [{ metric_name: 'a.rx', timestamp, value: timestamp }])
    const { times, lines } = withLive(history, polls)
    expect(times).toEqual([1_000, 1_010, 1_020, 1_030, 1_051, 1_061, 1_071, 1_300])
    expect(lines[0]?.values).toEqual([1, null, 3, null, 1_051, 1_061, null, 1_300])
  })

  it('adds up lines, and leaves a gap where none has a value', () => {
    const other = { ...reading, metric_name: 'b.rx', values: [10, null] }
    const lines = linesOf({ meta, metrics: [reading, other] })
    expect(sumOf(lines, '.rx')).toEqual([11, null, 3])
  })
})
