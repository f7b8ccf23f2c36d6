import { expect, it } from 'vitest'
import { renderTable } from './table.js'

it('aligns columns below their headings, without spaces at the end of a line', () => {
  const rows = [
    ['1', 'short', 'x'],
    ['22', 'a longer cell', ''],
  ]
  expect(renderTable(['ID', 'NAME', 'END'], rows)).toBe(
    'ID  NAME           END\n1   short          x\n22  a longer cell\n',
  )
  expect(renderTable(['A'], [['b']], { indent: 2 })).toBe('  A\n  b\n')
})

it('does not let a cell move the cursor', () => {
  expect(renderTable(['A'], [['\u001B[2Jb\nc']])).toBe('A\n?[2Jb?c\n')
})

it('does not let a cell change the direction or the lines of the text', () => {
  const marks = ['\u009B', '\u061C', '\u200E', '\u202E', '\u2066', '\u2028']
  expect(renderTable(['A'], [[`gw${marks.join('x')}é`]])).toBe('A\ngw?x?x?x?x?x?é\n')
})
