import { expect, it } from 'vitest'
import { csvOf } from './csv.js'

it('quotes what has commas, quotes or lines', () => {
  expect(csvOf([['a,b', 'say "no"', 'one\ntwo', 7, null]])).toBe('"a,b","say ""no""","one\ntwo",7,\r\n')
})

it('keeps a spreadsheet from running a text as a formula', () => {
  expect(csvOf([['=1+1', '@cmd', -3]])).toBe("'=1+1,'@cmd,-3\r\n")
})
