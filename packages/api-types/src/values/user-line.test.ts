import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { userLine, userLineKey } from './user-line.js'

describe("a user's line in the cluster's configuration", () => {
  it('is plain for a name without an underscore, and base64 for another', () => {
    expect(userLine('Bob')).toBe('user_Bob_Bob')
    expect(userLine('a_b')).toBe('user64_YV9i_YV9i')
  })

  it('can be the same without case for names that differ in more than case', () => {
    const [one, other] = ['_boa', '_boG'].map((end) => `ab${end}`)
    expect(userLine(one ?? '')).not.toBe(userLine(other ?? ''))
    expect(userLineKey(one ?? '')).toBe(userLineKey(other ?? ''))
  })

  const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)

  it('names its user and no other', () => {
    fc.assert(
      fc.property(name, (name) => {
        const [kind, account, user, ...rest] = userLine(name).split('_')
        expect(rest).toEqual([])
        expect(account).toBe(user)
        const read = kind === 'user64' ? Buffer.from(user ?? '', 'base64').toString() : user
        expect(read).toBe(name)
      }),
    )
  })

  it('is one key per line without case', () => {
    fc.assert(
      fc.property(name, name, (one, other) => {
        const same = userLine(one).toLowerCase() === userLine(other).toLowerCase()
        expect(userLineKey(one) === userLineKey(other)).toBe(same)
      }),
    )
  })
})
