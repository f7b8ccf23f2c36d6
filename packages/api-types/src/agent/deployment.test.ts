import { describe, expect, it } from 'vitest'
import { knownShareFields, knownStorageFields, readDesiredState, storageFieldsOf010 } from './deployment.js'
import type { SentState } from './deployment.js'
import { shareFieldsOf010 } from './share-fields-0.1.0.js'

const nfs = {
  id: 3,
  name: 'docs',
  protocol: 'nfs',
  export_number: 1,
  access_mode: 'rw',
  objectstore_container: 'docs',
  upload_delay: 0,
  write_retain: true,
  no_apple_doubles: true,
  clients_allowed_list: '',
  root_squash: false,
  secure: false,
}
const gateway = (more: object = {}, share: object = {}): SentState => ({
  kind: 'gateway',
  storage: null,
  shares: [nfs, { ...nfs, ...share }],
  ...more,
})
const user = { user: 'ada', password: 'correct-horse', is_superuser: false }

describe('a desired state', () => {
  it('is read when the agent knows all of it', () => {
    expect(readDesiredState(gateway())).toMatchObject({ shares: [nfs, nfs] })
    expect(readDesiredState({ kind: 'user_db', users: [user] })).toEqual({ kind: 'user_db', users: [user] })
  })

  it('has passwords and keys as long as the API accepts them', () => {
    const longest = 'x'.repeat(1024)
    const storage = { auth_url: `https://${longest}`, user: 'ada', key: longest }
    expect(readDesiredState(gateway({ storage }))).toMatchObject({ storage })
    const users = [{ ...user, password: longest }]
    expect(readDesiredState({ kind: 'user_db', users })).toEqual({ kind: 'user_db', users })
  })

  it.each([
    ['a setting of a share', gateway({}, { read_by: 'ada' }), 'the setting shares.1.read_by'],
    ["another protocol's setting", gateway({}, { cifs_guest_ok: false }), 'the setting shares.1.cifs_guest_ok'],
    ['a part of a gateway', gateway({ quotas: [] }), 'the setting quotas'],
    [
      'a field of a login',
      gateway({ storage: { auth_url: 'a', user: 'b', key: 'correct-horse', quota: 'c' } }),
      'the setting storage.quota',
    ],
    [
      'a field of a user',
      { kind: 'user_db', users: [{ ...user, quota_bytes: 1 }] } satisfies SentState,
      'the setting users.0.quota_bytes',
    ],
  ])('is refused completely for %s that the agent does not know', (_, sent, named) => {
    expect(() => readDesiredState(sent)).toThrow(`This agent does not know ${named}: upgrade the agent.`)
  })

  it.each([
    ['protocol', gateway({}, { protocol: 'afp' }), 'shares.1.protocol'],
    ['access mode', gateway({}, { access_mode: 'wo' }), 'shares.1.access_mode'],
  ])('is refused for a %s that the agent does not know', (_, sent, named) => {
    expect(() => readDesiredState(sent)).toThrow(`This agent cannot read ${named} of the desired state: upgrade`)
  })

  it('is refused without showing a value', () => {
    const sent = { kind: 'user_db', users: [{ ...user, password: 7, token: 'correct-horse' }] } satisfies SentState
    expect(() => readDesiredState(sent)).toThrow(/^(?!.*correct-horse).*upgrade/)
  })
})

it('this version knows every field that 0.1.0 knew', () => {
  expect(knownShareFields).toEqual(expect.arrayContaining([...shareFieldsOf010]))
  expect(knownStorageFields).toEqual(expect.arrayContaining([...storageFieldsOf010]))
})
