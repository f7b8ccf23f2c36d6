import { expect, it } from 'vitest'
import { csvLine } from './csv.js'

it('quotes what would end a cell, and puts a quote before what a spreadsheet would take for a formula', () => {
  expect(csvLine(['a', 1, 'b,c', 'd"e', '=f', '-1', -1])).toBe(`a,1,"b,c","d""e","'=f","'-1",-1\r\n`)
})
