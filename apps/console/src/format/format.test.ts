import { describe, expect, it } from 'vitest'
import { parseDisplay } from './display.js'
import { bytes, count, measure, percent, terabytes } from './numbers.js'
import { ago, duration, inputOf, timeOfInput, utc } from './time.js'

describe('numbers', () => {
  it('prints bytes with three digits and always with the unit', () => {
    expect([0, 999, 1_000, 18_000_207_937_536, 9.996e15].map(bytes)).toEqual([
      '0 B',
      '999 B',
      '1 kB',
      '18.0 TB',
      '10.0 PB',
    ])
    expect(terabytes(8.4)).toBe('8.40 TB')
  })

  it('shows a value that is not known as a dash', () => {
    expect([bytes(null), percent(undefined), count(null), measure(null, '%')]).toEqual(['–', '–', '–', '–'])
  })

  it('prints metrics in the unit of the agent', () => {
    expect(measure(1_234_567, 'bytes/s')).toBe('1.23 MB/s')
    expect(measure(38.25, 'operations/s')).toBe('38.3 operations/s')
    expect(measure(12.345, 'percent')).toBe('12.3\u{a0}%')
  })
})

describe('times', () => {
  it('prints ages and durations in their largest unit', () => {
    const now = Date.parse('2026-11-20T19:00:00.000Z')
    expect(ago('2026-11-20T18:46:00.000Z', now)).toMatch(/^14 min/)
    expect([4, 130, 7_300, 200_000].map(duration)).toEqual(['4 s', '2 min', '2 h', '2 d'])
  })

  it('reads an input of times as it was written, in either zone', () => {
    const at = '2026-07-20T19:30:00.000Z'
    for (const zone of ['utc', 'local'] as const) expect(timeOfInput(inputOf(at, zone), zone)).toBe(at)
    expect(inputOf('2026-07-20T19:30:59.999Z', 'utc')).toBe('2026-07-20T19:30')
    expect(new Date(inputOf(at, 'local'))).toEqual(new Date(at))
  })

  it('finds no time in an input that has none', () => {
    for (const zone of ['utc', 'local'] as const)
      for (const text of ['', '20261-01-01T00:00', '202611-01-01T00:00'])
        expect(timeOfInput(text, zone)).toBeUndefined()
    expect(timeOfInput('9999-12-31T23:59', 'utc')).toBe('9999-12-31T23:59:00.000Z')
  })

  it('prints UTC as logs do', () => {
    expect(utc('2026-11-20T19:00:00.000Z')).toBe('2026-11-20 19:00:00 UTC')
  })
})

describe('the settings of the display', () => {
  it('keeps what it knows of a stored text', () => {
    expect(parseDisplay('{"theme":"dark","density":"compact","later":1}')).toMatchObject({
      theme: 'dark',
      density: 'compact',
    })
  })

  it('ignores values of another version, and what is no JSON', () => {
    expect(parseDisplay('{"theme":"sepia","units":"binary"}')).toMatchObject({ theme: 'system', units: 'binary' })
    expect(parseDisplay('{')).toEqual(parseDisplay(null))
    expect(parseDisplay('null')).toEqual(parseDisplay(null))
  })
})
