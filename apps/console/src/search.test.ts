import { expect, it } from 'vitest'
import { parseSearch, pick, stringifySearch } from './search.js'

it('writes addresses that people can read, and reads them back', () => {
  const search = { state: 'offline,stale', q: 'a&b=c d', order: '-last_seen' }
  const text = stringifySearch(search)
  expect(text).toBe('?state=offline,stale&q=a%26b%3Dc%20d&order=-last_seen')
  expect(parseSearch(text)).toEqual(search)
})

it('leaves out what is empty or no text', () => {
  expect(stringifySearch({ q: '', state: undefined })).toBe('')
  expect(pick({ q: 'x', state: 7, other: 'y' }, 'q', 'state')).toEqual({ q: 'x' })
})
