import { expect, it } from 'vitest'
import { driftOf } from './drift.js'
import { knownOf, loginChecks, loginsToRevoke } from './changes.js'
import { userDiff } from './lines/diff.js'
import { entriesOf, renderUserFile } from './lines/render.js'

const entries = (...users: readonly (readonly [string, string, boolean?])[]) =>
  entriesOf(
    { users: users.map(([user, password, is_superuser = false]) => ({ user, password, is_superuser })) },
    { operator: [], own: [] },
  )

const before = entries(['anna', 'annas-key'], ['bob', 'bobs-key'], ['carl', 'carls-key'], ['dora', 'doras-key'])
const after = entries(
  ['anna', 'annas-key'],
  ['bob', 'bobs-other-key'],
  ['carl', 'carls-key', true],
  ['emil', 'emils-key'],
)

it('shows the changed users without keys', () => {
  expect(userDiff(before, after)).toBe(
    [
      '-user_bob_bob = <key> .admin',
      '+user_bob_bob = <another key> .admin',
      '-user_carl_carl = <key> .admin',
      '+user_carl_carl = <key> .admin .reseller_admin',
      '-user_dora_dora = <key> .admin',
      '+user_emil_emil = <key> .admin',
      '',
    ].join('\n'),
  )
  expect(userDiff(after, after)).toBe('')
})

it('revokes the tokens of users that were removed, or have another key or other rights', () => {
  expect(loginsToRevoke(knownOf(before), after)).toEqual(['bob:bob', 'carl:carl', 'dora:dora'])
  expect(loginsToRevoke(knownOf(after), after)).toEqual([])
})

it('checks logins whose result changes: new keys are accepted, old ones are not', () => {
  expect(loginChecks(before, after)).toEqual([
    { login: 'bob:bob', key: 'bobs-other-key', mustSucceed: true },
    { login: 'emil:emil', key: 'emils-key', mustSucceed: true },
    { login: 'anna:anna', key: 'annas-key', mustSucceed: true },
    { login: 'bob:bob', key: 'bobs-key', mustSucceed: false },
    { login: 'dora:dora', key: 'doras-key', mustSucceed: false },
  ])
})

it('reports changes by hand without keys, and a proxy that reads other files', () => {
  const known = knownOf(before)
  const text = renderUserFile('filter:tempauth', before)
  expect(driftOf(known, text, () => {})).toEqual([])
  const edited = text.replace('bobs-key', 'by-hand').replace(/user_dora.*\n/, 'user_eve_eve = evil .reseller_admin\n')
  expect(driftOf(known, edited, () => {})).toEqual([
    {
      subject: '50-roost-users.conf',
      message: 'The file of the users was changed by hand.',
      diff: '-user_dora_dora\n-user_bob_bob\n+user_bob_bob = <another key or right> .admin\n+user_eve_eve = <another key or right> .reseller_admin\n',
    },
  ])
  expect(driftOf(known, undefined, () => {})).toMatchObject([{ message: 'The file of the users was removed.' }])
  const fault = () => {
    throw new Error('The proxy server of this node reads another file.')
  }
  expect(driftOf(known, text, fault)).toMatchObject([{ message: 'The proxy server of this node reads another file.' }])
})
