import { expect, it } from 'vitest'
import { parseLoadavg } from './load.js'
import { parseUptime } from './uptime.js'

it('reads the three load averages', () => {
  const values = parseLoadavg('1.11 0.72 0.52 2/110 9476\n').map(({ name, value }) => [name, value])
  expect(values).toEqual([
    ['load.shortterm', 1.11],
    ['load.midterm', 0.72],
    ['load.longterm', 0.52],
  ])
})

it('reads the seconds since the start, and not those of idleness', () => {
  expect(parseUptime('2063.86 4001.11\n')).toEqual([{ name: 'uptime', unit: 'seconds', value: 2063.86 }])
})

it.each(['', '\n', 'x y z', '1.0 2.0'])('makes nothing of %j', (text) => {
  expect(parseLoadavg(text)).toEqual([])
})
