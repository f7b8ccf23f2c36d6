import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseStatfs } from './statfs-values.js'

describe('parseStatfs', () => {
  it('gives bytes', () => {
    expect(parseStatfs('4096 1000 600 550 200 150\n')).toEqual({
      total_bytes: 4_096_000,
      free_bytes: 2_457_600,
      available_bytes: 2_252_800,
      inodes: 200,
      freeInodes: 150,
    })
  })

  it('refuses everything that is no answer', () => {
    for (const text of ['', '4096 1 1 1', '0 1 1 1 1 1', '4096 1 -1 1 1 1', 'a b c d e f', '4096  1 1 1 1'])
      expect(parseStatfs(text)).toBeUndefined()
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseStatfs(`x${text}`)).toBeUndefined()
      }),
    )
  })
})
