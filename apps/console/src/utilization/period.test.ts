import { expect, it } from 'vitest'
import { monthBefore, periodOf, rangeOf } from './period.js'

const now = Date.parse('2026-03-05T10:20:00Z')

it('knows this month up to today, and the last month as a whole', () => {
  expect(monthBefore(0, now)).toEqual({ from: '2026-03-01', to: '2026-03-05' })
  expect(monthBefore(1, now)).toEqual({ from: '2026-02-01', to: '2026-02-28' })
  expect(monthBefore(3, now)).toEqual({ from: '2025-12-01', to: '2025-12-31' })
})

it('is this month where an address names no other days', () => {
  expect(periodOf({}, now)).toEqual({ from: '2026-03-01', to: '2026-03-05' })
  expect(periodOf({ from: '2026-01-07' }, now)).toEqual({ from: '2026-01-07', to: '2026-03-05' })
  for (const no of ['', 'yesterday', '2026-13-01', '2026-01-07T00:00:00Z', '1'])
    expect(periodOf({ from: no, to: no }, now)).toEqual({ from: '2026-03-01', to: '2026-03-05' })
})

it('has its last day as a part, and ends now if that is today', () => {
  expect(rangeOf({ from: '2026-02-01', to: '2026-02-28' }, now)).toEqual({
    start: '2026-02-01T00:00:00Z',
    end: '2026-03-01T00:00:00.000Z',
  })
  expect(rangeOf({ from: '2026-03-01', to: '2026-03-05' }, now)).toEqual({ start: '2026-03-01T00:00:00Z' })
})
