import { expect, it } from 'vitest'
import { daysText, fullText } from './full-text.js'
import type { SetForecast } from './full-text.js'

const forecast: SetForecast = {
  ring_set: 'gold',
  state: 'forecast',
  limit_pct: 98,
  used_pct: 67,
  growth_bytes_a_day: 4e12,
  days_until_full: { early: 58.4, middle: 66.7, late: 80.1 },
  fullest_device: null,
  history_days: 42,
  shifts: [],
  oldest_reading: null,
}

it('is the days with their interval, which may be open', () => {
  expect(fullText(forecast)).toBe('Full in 67 days (58–80)')
  const open = { early: 0.6, middle: 1.2, late: null }
  expect(fullText({ ...forecast, days_until_full: open })).toBe('Full in 1 day (from 1)')
  expect([daysText(forecast.days_until_full), daysText(open), daysText(null)]).toEqual(['67 (58–80)', '1 (1–)', '–'])
})

it('says how far it looks where it is not full by then', () => {
  const beyond = { ...forecast, state: 'beyond_horizon', days_until_full: null } as const
  expect(fullText(beyond)).toBe('Not full within 84 days.')
  expect(fullText({ ...beyond, history_days: 20 })).toBe('Not full within 40 days.')
})

it('says why there is none', () => {
  const none = { ...forecast, days_until_full: null }
  expect(fullText({ ...none, state: 'not_growing' })).toBe('Not growing.')
  expect(fullText({ ...none, state: 'not_enough_data' })).toBe('No forecast yet: it needs 14 days of history.')
})
