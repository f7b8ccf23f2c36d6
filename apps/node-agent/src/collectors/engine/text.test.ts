import fc from 'fast-check'
import { expect, it } from 'vitest'
import { columns, eachLine, numberAt, readFields } from './text.js'

const text = fc.stringMatching(/^[ a-c0-9:\n\t]{0,60}$/)

it('visits the lines that are not empty', () => {
  fc.assert(
    fc.property(text, (text) => {
      const lines: string[] = []
      eachLine(text, (line) => lines.push(line))
      expect(lines).toEqual(text.split('\n').filter((line) => line !== ''))
    }),
  )
})

it('splits a line at its blanks', () => {
  fc.assert(
    fc.property(text, (line) => {
      expect(columns(line)).toEqual(line.split(/\s+/).filter((one) => one !== ''))
    }),
  )
})

it('reads an integer after blanks of the same line', () => {
  expect(numberAt('ctxt 590338\n', 4)).toBe(590338)
  expect(numberAt('MemFree:\t 24248608 kB', 8)).toBe(24248608)
  expect(numberAt('a \n5', 1)).toBeNaN()
  expect(numberAt('a -5', 1)).toBeNaN()
  expect(numberAt('a', 7)).toBeNaN()
  fc.assert(
    fc.property(fc.nat(), (n) => {
      expect(numberAt(`x ${n}`, 1)).toBe(n)
    }),
  )
})

it('reads only the wanted fields', () => {
  const wanted = new Set(['b', 'c', '__proto__'])
  expect(readFields('a 1\nb 2\nc\nbb 3\n__proto__ 4', ' ', wanted)).toEqual(
    new Map([
      ['b', 2],
      ['__proto__', 4],
    ]),
  )
  expect(readFields('b:      7 kB\n', ':', wanted)).toEqual(new Map([['b', 7]]))
})
