import { expect, it } from 'vitest'
import { csvLine } from './csv.js'

it('quotes what would end a cell, and puts a quote before what a spreadsheet would take for a formula', () => {
  expect(csvLine(['a', 1, 'b,c', 'd"e', '=f', '-1', -1])).toBe(`a,1,"b,c","d""e","'=f","'-1",-1\r\n`)
})

it('knows that some spreadsheets split lines at semicolons or tabs', () => {
  expect(csvLine(['a;=f', 'a;b', '\t@f', 'a\t+1', 'a\n-1', 'a=b'])).toBe(
    `"a;'=f",a;b,"'\t'@f","a\t'+1","a\n'-1",a=b\r\n`,
  )
})
