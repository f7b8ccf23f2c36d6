import { describe, expect, it } from 'vitest'
import { createFailureLimit } from './failure-limit.js'

const now = () => 0

function blockedAfterFailuresOf(address: string) {
  const limit = createFailureLimit(1, now)
  limit.fail(address)
  return (other: string) => limit.retryAfterSeconds(other) !== undefined
}

describe('failures are counted', () => {
  it('by IPv4 address', () => {
    const isBlocked = blockedAfterFailuresOf('10.0.0.1')
    expect(isBlocked('10.0.0.1')).toBe(true)
    expect(isBlocked('10.0.0.2')).toBe(false)
  })

  it.each(['::ffff:10.0.0.1', '::FFFF:a00:1', '::ffff:10.0.0.1%eth0', '10.0.0.1'])(
    'by IPv4 address, in whichever form it comes: %s',
    (form) => {
      const isBlocked = blockedAfterFailuresOf('::ffff:10.0.0.1')
      expect(isBlocked(form)).toBe(true)
      expect(isBlocked('::ffff:10.0.0.2')).toBe(false)
    },
  )

  it('by the text of a peer that has no address', () => {
    const isBlocked = blockedAfterFailuresOf('unknown')
    expect(isBlocked('unknown')).toBe(true)
    expect(isBlocked('10.0.0.1')).toBe(false)
  })

  it.each(['2001:db8:1:2:ffff::1', '2001:db8:1:2::', '2001:db8:1:2:3:4:5:6', '2001:DB8:1:2::1%eth0'])(
    'by the /64 of an IPv6 address: %s',
    (near) => {
      const isBlocked = blockedAfterFailuresOf('2001:db8:1:2::1')
      expect(isBlocked(near)).toBe(true)
      expect(isBlocked('2001:db8:1:3::1')).toBe(false)
      expect(isBlocked('2001:db8::1:2:0:1')).toBe(false)
    },
  )
})

describe('work of one address', () => {
  it('runs one after another, also after a failure', async () => {
    const limit = createFailureLimit(1, now)
    const order: string[] = []
    const work = (name: string) => async () => {
      order.push(`${name} begins`)
      await Promise.resolve()
      order.push(`${name} ends`)
      if (name === 'first') throw new Error('no')
    }
    const first = limit.inOrder('10.0.0.1', work('first'))
    const second = limit.inOrder('10.0.0.1', work('second'))
    await expect(first).rejects.toThrow('no')
    await second
    expect(order).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
  })
})
