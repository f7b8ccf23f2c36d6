import { expect, it } from 'vitest'
import { csvOf, rowsOf } from './csv.js'

it('quotes what has commas, quotes or lines', () => {
  expect(csvOf([['a,b', 'say "no"', 'one\ntwo', 7, null]])).toBe('"a,b","say ""no""","one\ntwo",7,\r\n')
})

it('keeps a spreadsheet from running a text as a formula', () => {
  expect(csvOf([['=1+1', '@cmd', -3]])).toBe("'=1+1,'@cmd,-3\r\n")
})

it('knows that some spreadsheets split lines at semicolons or tabs', () => {
  expect(csvOf([['a;=1', 'a;b', '\t@cmd', 'a=b', -3]])).toBe("a;'=1,a;b,'\t'@cmd,a=b,-3\r\n")
  expect(csvOf([[{ name: 'a;=1' }, ['x;-2']]])).toBe(`"{""name"":""a;'=1""}","[""x;'-2""]"\r\n`)
})

it('has a column for each field that a record has', () => {
  const records = [
    { id: 1, name: 'docs' },
    { id: 2, set: 'a', name: 'lab' },
  ]
  expect(csvOf(rowsOf(records))).toBe('id,name,set\r\n1,docs,\r\n2,lab,a\r\n')
  expect(csvOf(rowsOf([]))).toBe('\r\n')
})
