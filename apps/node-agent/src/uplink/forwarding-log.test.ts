import { expect, it } from 'vitest'
import { createLog } from '@roost/runtime'
import { forwardingLog } from './forwarding-log.js'

it('tells warnings and errors with their fields, at most ten a minute, and writes every line', () => {
  const lines: string[] = []
  const forwarded: string[] = []
  let now = 0
  const clock = { now: () => 0, monotonic: () => now, after: () => () => {} }
  const plain = createLog({ format: 'json', level: 'info', write: (line) => lines.push(line) })
  const log = forwardingLog(plain, clock, (level, message) => forwarded.push(`${level} ${message}`))
  log.info('Nothing to tell.')
  log.warn('Careful.', { error: new Error('why'), count: 3 })
  expect(forwarded).toEqual(['warn Careful. error: why count: 3'])
  for (let line = 0; line < 20; line++) log.error('Again.')
  expect(forwarded).toHaveLength(10)
  expect(lines).toHaveLength(22)
  now = 60_000
  log.error('Later.')
  expect(forwarded.at(-1)).toBe('error Later.')
})
