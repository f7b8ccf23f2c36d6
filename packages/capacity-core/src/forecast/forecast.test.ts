import fc from 'fast-check'
import { expect, it } from 'vitest'
import { forecastFull } from './forecast.js'

const tb = 1e12
const size = { sizeBytes: 100 * tb, limitBytes: 100 * tb }
const daysOf = (usedTb: readonly number[], from = 20_000) =>
  usedTb.map((used, i) => ({ day: from + i, usedBytes: used * tb }))
const days = (count: number, usedTb: (day: number) => number) =>
  daysOf(Array.from({ length: count }, (_, i) => usedTb(i)))

it('steady growth ends on the day on which the line meets the limit', () => {
  const forecast = forecastFull(
    days(42, (day) => 40 + day),
    size,
  )
  expect(forecast).toEqual({
    state: 'forecast',
    growthBytesADay: tb,
    daysUntilFull: { early: 19, middle: 19, late: 19 },
    historyDays: 42,
    shifts: [],
  })
})

it('what repeats each week does not change the growth', () => {
  const expirer = forecastFull(
    days(42, (day) => 40 + 7 * Math.floor(day / 7) + 3 * (day % 7)),
    size,
  )
  expect(expirer).toMatchObject({ state: 'forecast', growthBytesADay: tb, shifts: [] })
})

it('growth is not counted across a day on which devices were added', () => {
  const rebalanced = forecastFull(
    days(42, (day) => 60 + day - (day >= 20 ? 30 : 0)),
    size,
  )
  expect(rebalanced).toMatchObject({ state: 'forecast', growthBytesADay: tb, shifts: [20_020] })
})

it('missing days are neither growth nor a shift', () => {
  const known = days(42, (day) => 40 + day).filter((_, i) => i % 5 !== 3)
  expect(forecastFull(known, size)).toMatchObject({ state: 'forecast', growthBytesADay: tb, shifts: [] })
})

it.each([
  ['no days', [], 'not_enough_data'],
  ['13 days', days(13, (day) => 40 + day), 'not_enough_data'],
  ['a third of the days is missing', days(42, (day) => 40 + day).filter((_, i) => i % 3 !== 1), 'not_enough_data'],
  ['14 days', days(14, (day) => 80 + day), 'forecast'],
  ['nothing grows', days(42, () => 50), 'not_growing'],
  ['it shrinks', days(42, (day) => 90 - day), 'not_growing'],
  ['more than a year', days(42, (day) => 40 + day * 0.1), 'beyond_horizon'],
  ['more than twice the days seen', days(14, (day) => 40 + day), 'beyond_horizon'],
  ['full, and nothing grows', days(42, () => 100), 'forecast'],
] as const)('%s: %s', (_name, seen, state) => {
  expect(forecastFull(seen, size).state).toBe(state)
})

it('only the last 42 days count', () => {
  const recent = days(100, (day) => (day < 58 ? 1 : 40 + (day - 58)))
  expect(forecastFull(recent, size)).toMatchObject({ historyDays: 42, growthBytesADay: tb })
})

it('early is never after middle, nor middle after late', () => {
  const used = fc.array(fc.double({ min: 0, max: 120, noNaN: true }), { maxLength: 60 })
  fc.assert(
    fc.property(used, (values) => {
      const forecast = forecastFull(daysOf(values), size)
      if (forecast.state !== 'forecast') return true
      const { early, middle, late } = forecast.daysUntilFull
      return early >= 0 && early <= middle && middle <= (late ?? Infinity)
    }),
  )
})
