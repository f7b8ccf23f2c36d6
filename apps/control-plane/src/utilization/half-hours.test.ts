import { describe, expect, it } from 'vitest'
import { roundRange, timeText } from './half-hours.js'

const now = Date.parse('2017-06-30T10:20:00Z')
const range = (start: string, end?: string) => {
  const { from, to } = roundRange({ start, end }, now)
  return [timeText(from), timeText(to)]
}

describe('the range of a question', () => {
  it('begins at the half-hour before its start and ends a whole number of hours later', () => {
    const asked = ['2017-05-31T19:00:00', '2017-06-30T18:59:59'] as const
    expect(range(...asked)).toEqual(['2017-05-31 19:00:00Z', '2017-06-30 19:00:00Z'])
    expect(range('2017-05-31T23:47:00', '2017-06-01T00:00:00')).toEqual([
      '2017-05-31 23:30:00Z',
      '2017-06-01 00:30:00Z',
    ])
    expect(range('2017-05-31T23:30:00', '2017-06-01T00:30:00.001')[1]).toBe('2017-06-01 01:30:00Z')
  })

  it('ends now where it has no end', () => {
    expect(range('2017-06-30T10:00:00Z')).toEqual(['2017-06-30 10:00:00Z', '2017-06-30 11:00:00Z'])
  })

  it('is empty where it ends as it begins on a half-hour', () => {
    expect(range('2017-06-30T10:00:00Z', '2017-06-30T10:00:00Z')).toEqual([
      '2017-06-30 10:00:00Z',
      '2017-06-30 10:00:00Z',
    ])
  })
})

describe('a time', () => {
  it.each([
    ['2014-11-21', '2014-11-21 00:00:00Z'],
    ['20141121T1700', '2014-11-21 17:00:00Z'],
    ['2014-11-21 17:00:00Z', '2014-11-21 17:00:00Z'],
    ['2014-11-21t17:29:59.999z', '2014-11-21 17:00:00Z'],
    ['2014-11-21T17:00:00+01:00', '2014-11-21 16:00:00Z'],
    ['2014-11-21T17:00:00 01:00', '2014-11-21 16:00:00Z'],
    ['2014-11-21T17:00-0530', '2014-11-21 22:30:00Z'],
    ['2014-11-21T17+14', '2014-11-21 03:00:00Z'],
    ['1969-12-31T23:59:00Z', '1969-12-31 23:30:00Z'],
  ])('may be written %s', (text, start) => {
    expect(range(text)[0]).toBe(start)
  })

  it.each(['', 'yesterday', '1416589200', '2014-02-30', '2014-13-01', '2014-11-21T25:00', '2014-11-21T17:00+99:00'])(
    'may not be written %j',
    (text) => {
      expect(() => range(text)).toThrow(/2014-11-21T17:00:00Z/)
    },
  )

  it('of the end is not before that of the start', () => {
    expect(() => range('2014-11-21T17:00:00', '2014-11-21T16:59:59')).toThrow(/before/)
    expect(() => range('2017-06-30T10:20:01')).toThrow(/before/)
  })
})
