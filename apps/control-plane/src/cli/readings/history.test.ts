import { expect, it } from 'vitest'
import { chart, rangeOf } from './history.js'

it('a chart goes from the least to the most, and a gap is a blank', () => {
  expect(chart([0, 1, null, 7])).toBe('▁▂ █')
  expect(chart([5, 5])).toBe('▁▁')
  expect(chart([null])).toBe('')
  expect(chart(Array.from({ length: 80 }, (_, i) => i))).toHaveLength(40)
})

it('the last hour is shown unless a flag says otherwise', () => {
  expect(rangeOf({}, 7_200_000)).toEqual({ start: '1970-01-01T01:00:00.000Z' })
  expect(rangeOf({ from: '2026-01-01', to: '2026-01-02', step: '300' }, 0)).toEqual({
    start: '2026-01-01',
    end: '2026-01-02',
    step: 300,
  })
})
