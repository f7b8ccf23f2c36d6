import { describe, expect, it } from 'vitest'
import { countWindows } from './windows.js'

describe('a window', () => {
  const at = (clock: { now: number }) => countWindows({ max: 2, windowMs: 60_000, now: () => clock.now })

  it('lets so many through, and tells when the next may come', () => {
    const clock = { now: 1_000 }
    const windows = at(clock)
    windows.count('a')
    expect(windows.retryAfterSeconds('a')).toBeUndefined()
    windows.count('a')
    expect(windows.retryAfterSeconds('a')).toBe(60)
    clock.now += 59_500
    expect(windows.retryAfterSeconds('a')).toBe(1)
    clock.now += 500
    expect(windows.retryAfterSeconds('a')).toBeUndefined()
  })

  it('is of one key alone, and does not count who only asks', () => {
    const windows = at({ now: 0 })
    for (let i = 0; i < 10; i++) windows.retryAfterSeconds('a')
    windows.count('a')
    windows.count('a')
    expect(windows.retryAfterSeconds('a')).toBeDefined()
    expect(windows.retryAfterSeconds('b')).toBeUndefined()
  })

  it('of too many keys forgets the oldest', () => {
    const windows = at({ now: 0 })
    for (const key of ['first', 'first', 'second', 'second']) windows.count(key)
    for (let i = 0; i < 9_999; i++) windows.count(`other ${i}`)
    expect(windows.retryAfterSeconds('first')).toBeUndefined()
    expect(windows.retryAfterSeconds('second')).toBeDefined()
  })
})
