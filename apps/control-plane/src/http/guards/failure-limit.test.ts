import { systemClock } from '@roost/runtime'
import { describe, expect, it } from 'vitest'
import { createFailureLimit } from './failure-limit.js'

const clock = { ...systemClock, now: () => 0, monotonic: () => 0 }

function blockedAfterFailuresOf(address: string) {
  const limit = createFailureLimit(1, clock)
  limit.fail(address)
  return (other: string) => limit.retryAfterSeconds(other) !== undefined
}

describe('failures are counted', () => {
  it('by IPv4 address', () => {
    const isBlocked = blockedAfterFailuresOf('10.0.0.1')
    expect(isBlocked('10.0.0.1')).toBe(true)
    expect(isBlocked('10.0.0.2')).toBe(false)
  })

  it('by IPv4 address in its IPv6 form', () => {
    const isBlocked = blockedAfterFailuresOf('::ffff:10.0.0.1')
    expect(isBlocked('::ffff:10.0.0.1')).toBe(true)
    expect(isBlocked('::ffff:10.0.0.2')).toBe(false)
  })

  it.each(['2001:db8:1:2:ffff::1', '2001:db8:1:2::', '2001:db8:1:2:3:4:5:6'])(
    'by the /64 of an IPv6 address: %s',
    (near) => {
      const isBlocked = blockedAfterFailuresOf('2001:db8:1:2::1')
      expect(isBlocked(near)).toBe(true)
      expect(isBlocked('2001:db8:1:3::1')).toBe(false)
      expect(isBlocked('2001:db8::1:2:0:1')).toBe(false)
    },
  )
})

describe('what comes from one address together', () => {
  it('runs one after another, also after a failure', async () => {
    const limit = createFailureLimit(1, clock)
    const order: string[] = []
    const work = (name: string) => async () => {
      order.push(`${name} begins`)
      await Promise.resolve()
      order.push(`${name} ends`)
      if (name === 'first') throw new Error('no')
    }
    const first = limit.inTurn('10.0.0.1', work('first'))
    const second = limit.inTurn('10.0.0.1', work('second'))
    await expect(first).rejects.toThrow('no')
    await second
    expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
  })
})
