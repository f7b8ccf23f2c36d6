import { describe, expect, it } from 'vitest'
import { UserInput, UserName, UserPassword } from './user.js'

interface Result {
  readonly error?: { readonly issues: readonly { readonly code: string; readonly message: string }[] }
}

/** The sentences of the schema itself; the control plane writes those of lengths, from the code. */
const messages = ({ error }: Result) =>
  error?.issues.map(({ code, message }) => (code.startsWith('too_') ? code : message)) ?? []

describe("a user's password", () => {
  it.each([
    ['19 characters', 'x'.repeat(19), ['too_small']],
    ['20 characters', 'x'.repeat(20), []],
    ['21 characters', 'x'.repeat(21), []],
    ['1,024 characters', '!~'.repeat(512), []],
    ['1,025 characters', 'x'.repeat(1025), ['too_big']],
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
  expect(UserInput.parse(input)).toEqual({ ...input, cluster: 1, is_superuser: false, enabled: true })
})
