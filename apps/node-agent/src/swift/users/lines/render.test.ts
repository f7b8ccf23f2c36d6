import type { DesiredUser } from '@roost/api-types/agent'
import { loginOfLine, userLineKey } from '@roost/api-types/agent'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCasedIni } from '../../config/ini.js'
import { entriesOf, parseUserFile, renderUserFile } from './render.js'

const user = (name: string, password: string, is_superuser = false): DesiredUser => ({
  user: name,
  password,
  is_superuser,
})
const section = 'filter:tempauth'
const nothing = { operator: [], own: [] }
const entries = (users: readonly DesiredUser[]) => entriesOf({ users }, nothing)
const render = (users: readonly DesiredUser[]) => renderUserFile(section, entries(users))

describe('the file of the users', () => {
  it('has a sorted line for each in tempauth’s section', () => {
    const users = [user('bob', 'k'.repeat(20)), user('a_b', '=;#', true)]
    const [heading, ...lines] = render(users).split('\n')
    expect(heading).toMatch(/^# Written by Roost/)
    expect(lines).toEqual([
      '[filter:tempauth]',
      'user64_YV9i_YV9i = =;# .admin .reseller_admin',
      `user_bob_bob = ${'k'.repeat(20)} .admin`,
      '',
    ])
    expect(render(users.toReversed())).toBe(render(users))
  })

  it('without users is an empty section', () => {
    expect(render([]).split('\n').slice(1)).toEqual(['[filter:tempauth]', ''])
  })

  it.each([
    ['a blank, which begins a group', 'x .reseller_admin'],
    ['a line break', 'x\nuser_a_a = y'],
    ['a carriage return', 'x\ry'],
    ['interpolation', 'x%(here)s'],
    ['a storage URL', 'http://elsewhere/v1'],
    ['the host of the storage URL', '$HOST/v1/AUTH_other'],
    ['nothing', ''],
    ['letters beyond ASCII', 'pässword'],
    ['a NUL', 'x\0y'],
    ['more than 1,024 characters', 'x'.repeat(1025)],
  ])('is refused for a password with %s, which it does not repeat', (_, password) => {
    const refusal = () => render([user('bob', password)])
    expect(refusal).toThrow("The user 'bob' has a password that tempauth misreads. Set another password.")
  })

  it.each(['', '.a', 'a b', 'a:b', 'a=b', 'a\nb', 'ä', 'x'.repeat(65)])('is refused for the name %j', (name) => {
    expect(() => render([user(name, 'k'.repeat(20))])).toThrow('has a name that tempauth misreads')
  })

  it('is refused for two users whose lines differ only in case', () => {
    const twins = [user('ab_boa', 'k'.repeat(20)), user('ab_boG', 'k'.repeat(20))]
    expect(() => render(twins)).toThrow("The lines of the users 'ab_boa' and 'ab_boG' differ only in case")
  })
})

/** Parses a section like tempauth: a name of three parts, and a value with blanks. */
function asTempauthReads(text: string): Map<string, { key: string; groups: string[] }> {
  const settings = parseCasedIni(text).get(section) ?? new Map<string, string>()
  return new Map(
    [...settings].map(([line, value]) => {
      const [key = '', ...groups] = value.split(/\s+/)
      if (groups.some((group) => group.includes('://') || group.includes('$HOST'))) throw new Error('a storage URL')
      return [loginOfLine(line), { key, groups }]
    }),
  )
}

describe('with any names and passwords', { timeout: 600_000 }, () => {
  const runs = process.env.ROOST_TEST_LONG ? 100_000 : 1_000
  const name = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
    fc.string({ unit: 'binary', maxLength: 70 }),
    fc.constantFrom('', 'a:b', 'a_b', '_', 'a=b', '[x]', 'user_a_a', '#a', ';a'),
  )
  const hostile = fc.constantFrom(
    ' ',
    '\n',
    '\r',
    '\t',
    '\0',
    '\u2028',
    '%(here)s',
    '%',
    '$HOST',
    '://',
    '[filter:x]\n',
    '=',
    ':',
    ';',
    '#',
    '\\',
    '"',
  )
  const password = fc.oneof(
    fc.stringMatching(/^[!-~]{1,64}$/),
    fc
      .array(fc.oneof(hostile, fc.string({ unit: 'grapheme-ascii', maxLength: 8 })), { maxLength: 8 })
      .map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 40 }),
  )
  const desired = fc.record({ user: name, password, is_superuser: fc.boolean() })

  it('is refused, or read by tempauth as exactly these users with exactly these rights', () => {
    let read = 0
    fc.assert(
      fc.property(fc.array(desired, { maxLength: 6 }), (users) => {
        const text = rendered(users)
        if (text === undefined) return
        read++
        const desired = users.map(({ user: name, password: key, is_superuser: isSuperuser }) => [
          `${name}:${name}`,
          { key, groups: isSuperuser ? ['.admin', '.reseller_admin'] : ['.admin'] },
        ])
        expect(asTempauthReads(text)).toEqual(new Map(desired as never))
        expect(parseUserFile(text)).toEqual(entries(users))
        const keys = users.map(({ user: name }) => userLineKey(name))
        expect(new Set(keys).size).toBe(users.length)
        expect(text.split('\n')).toHaveLength(users.length + 3)
      }),
      { numRuns: runs },
    )
    expect(read).toBeGreaterThan(runs / 20)
  })

  function rendered(users: readonly DesiredUser[]): string | undefined {
    try {
      return render(users)
    } catch {
      return undefined
    }
  }
})
