import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { longestNumber, rounded, writeNumber, writeThousandths } from './decimal.js'

function textOf(value: number, write = writeNumber): string {
  const bytes = Buffer.alloc(longestNumber)
  return bytes.toString('latin1', 0, write(bytes, 0, value))
}

describe('a number of an answer', () => {
  test('is the same as JSON and as a value, for any number', () => {
    const numbers = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ noNaN: true, min: -1e10, max: 1e10 }),
      fc.integer(),
    )
    fc.assert(
      fc.property(numbers, (value) => {
        const text = textOf(value)
        expect(text).toBe(JSON.stringify(rounded(value)))
        expect(text.length).toBeLessThanOrEqual(longestNumber)
      }),
      { numRuns: 5_000 },
    )
  })

  test('is null in a gap, exact when it is whole, and has nine digits or all before the point', () => {
    expect([Number.NaN, 0, -0, 7, -12, 4_000_787_030_016, 2 ** 53, 1e300].map((value) => textOf(value))).toEqual([
      'null',
      '0',
      '0',
      '7',
      '-12',
      '4000787030016',
      '9007199254740992',
      '1e+300',
    ])
    expect([1 / 3, -2 / 3, 100 / 3, 0.5, 99.9999999999, 0.00012345678912, 12_345_678_901.6].map(rounded)).toEqual([
      0.333333333, -0.666666667, 33.3333333, 0.5, 100, 0.000123456789, 12_345_678_902,
    ])
  })

  test('is a time in seconds with its milliseconds', () => {
    expect([1_795_046_400_000, 1_795_046_400_120, 1_795_046_400_001].map((ms) => textOf(ms, writeThousandths))).toEqual(
      ['1795046400', '1795046400.12', '1795046400.001'],
    )
  })
})
