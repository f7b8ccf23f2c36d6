import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { userLine, userLineKey, UserInput, UserName, UserPassword } from './user.js'

const messages = (result: { readonly error?: { readonly issues: readonly { readonly message: string }[] } }) =>
  result.error?.issues.map((issue) => issue.message) ?? []

describe("a user's password", () => {
  it.each([
    ['19 characters', 'x'.repeat(19), ['Ensure this value has at least 20 characters.']],
    ['20 characters', 'x'.repeat(20), []],
    ['21 characters', 'x'.repeat(21), []],
    ['1,024 characters', '!~'.repeat(512), []],
    ['1,025 characters', 'x'.repeat(1025), ['Ensure this value has at most 1024 characters.']],
    ['a NUL', `${'x'.repeat(20)}\0`, ['Use printable ASCII characters without blanks.']],
    ['a newline', `${'x'.repeat(20)}\n`, ['Use printable ASCII characters without blanks.']],
    ['an emoji', `${'x'.repeat(20)}🦉`, ['Use printable ASCII characters without blanks.']],
    ['a blank', `${'x'.repeat(20)} .reseller_admin`, ['Use printable ASCII characters without blanks.']],
    ['signs that the configuration takes as they are', `;#=%d[]"'\\${'x'.repeat(12)}`, []],
  ])('of %s', (_, password, expected) => {
    expect(messages(UserPassword.safeParse(password))).toEqual(expected)
  })

  it.each(['%(here)s', 'http://', '$HOST'])(
    "is refused with %s in it, which the cluster's authentication reads",
    (part) => {
      expect(messages(UserPassword.safeParse(`${'x'.repeat(20)}${part}`))).toHaveLength(1)
    },
  )
})

describe("a user's name", () => {
  it.each(['a', '0', 'bob', 'a.b-c_d', 'x'.repeat(64)])('may be %s', (name) => {
    expect(UserName.safeParse(name).success).toBe(true)
  })

  it.each(['', '.a', '-a', '_a', 'a b', 'a:b', 'a/b', 'ä', 'a\n', 'x'.repeat(65)])('may not be %j', (name) => {
    expect(UserName.safeParse(name).success).toBe(false)
  })
})

it('fills in the defaults of a new user', () => {
  const input = { cluster: '/api/v1/clusters/1/', user: 'bob', password: 'x'.repeat(20) }
  expect(UserInput.parse(input)).toEqual({ ...input, is_superuser: false, enabled: true })
})

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

  it('names its user and nobody else', () => {
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
