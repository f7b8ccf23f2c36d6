import { withoutDefaults } from '@roost/api-types/agent'
import type { DesiredShare, DesiredState, DesiredUser } from '@roost/api-types/agent'
import { cifsShare, nfsShare } from '@roost/testing/shares'
import { describe, expect, it } from 'vitest'
import { differencesOf } from './differences.js'

const login = { auth_url: 'https://swift.example/auth', user: 'gw', key: 'storage-secret' }

/** As it is stored: without the settings that are newer than 0.1.0 and have their defaults. */
function gateway(shares: readonly DesiredShare[], storage: typeof login | null = login): DesiredState {
  const state = withoutDefaults({ kind: 'gateway', shares: [...shares], storage })
  return JSON.parse(JSON.stringify(state)) as DesiredState
}

function users(names: readonly Partial<DesiredUser>[], blocked?: readonly string[]): DesiredState {
  const user = { user: 'bob', password: 'user-secret', is_superuser: false }
  const all = names.map((each) => ({ ...user, ...each }))
  return { kind: 'user_db', users: all, ...(blocked === undefined ? {} : { blocked: [...blocked] }) }
}

describe('the shares of two generations', () => {
  it('are the same where only the stored form of defaults differs', () => {
    const stored = gateway([nfsShare(1)])
    const complete = { ...stored, shares: [nfsShare(1)] } as DesiredState
    expect(Object.keys(nfsShare(1)).length).toBeGreaterThan(
      Object.keys((stored as { shares: readonly object[] }).shares[0] ?? {}).length,
    )
    expect(differencesOf(stored, complete)).toEqual([])
    expect(differencesOf(complete, stored)).toEqual([])
  })

  it('are added, changed by field, and removed', () => {
    const before = gateway([nfsShare(1), nfsShare(2)])
    const after = gateway([nfsShare(2, { name: 'papers', access_mode: 'ro', cache_size_mb: 64 }), nfsShare(3)])
    expect(differencesOf(before, after)).toEqual([
      {
        type: 'share',
        id: 2,
        name: 'papers',
        change: 'changed',
        fields: [
          { field: 'access_mode', before: 'rw', after: 'ro' },
          { field: 'cache_size_mb', before: null, after: 64 },
          { field: 'name', before: 'share2', after: 'papers' },
        ],
      },
      { type: 'share', id: 3, name: 'share3', change: 'added', fields: [] },
      { type: 'share', id: 1, name: 'share1', change: 'removed', fields: [] },
    ])
  })

  it('have null for the settings of the protocol that a share has no more', () => {
    const [changed] = differencesOf(gateway([nfsShare(1, { root_squash: true })]), gateway([cifsShare(1)]))
    expect(changed?.fields).toEqual(
      expect.arrayContaining([
        { field: 'protocol', before: 'nfs', after: 'cifs' },
        { field: 'root_squash', before: true, after: null },
        { field: 'cifs_create_mask', before: null, after: '0664' },
      ]),
    )
  })

  it('differ by a password that was set, changed or removed, without any part of it', () => {
    const of = (password: string | null) => gateway([cifsShare(1, { password })])
    for (const [before, after] of [
      [null, 'first-secret'],
      ['first-secret', 'other-secret'],
      ['other-secret', null],
    ] as const)
      expect(differencesOf(of(before), of(after))).toMatchObject([
        { change: 'changed', fields: [{ field: 'password', before: '***', after: '***' }] },
      ])
    expect(differencesOf(of('first-secret'), of('first-secret'))).toEqual([])
  })

  it('differ by the storage login only where both have shares, without any part of it', () => {
    const changed = { ...login, key: 'other-secret' }
    const shares = [nfsShare(1)]
    expect(differencesOf(gateway(shares), gateway(shares, changed))).toEqual([
      { type: 'storage_login', id: null, name: '', change: 'changed', fields: [] },
    ])
    expect(differencesOf(gateway(shares, null), gateway(shares))).toMatchObject([
      { type: 'storage_login', change: 'added' },
    ])
    expect(differencesOf(gateway([], null), gateway(shares))).toMatchObject([{ type: 'share', change: 'added' }])
    expect(differencesOf(gateway(shares), gateway([], null))).toMatchObject([{ type: 'share', change: 'removed' }])
    expect(differencesOf(null, gateway(shares))).toMatchObject([{ type: 'share', change: 'added' }])
  })
})

describe('the users of two generations', () => {
  it('are added, changed by field without their passwords, and removed', () => {
    const before = users([{ user: 'alice' }, { user: 'bob' }])
    const after = users([{ user: 'bob', password: 'new-secret', is_superuser: true }, { user: 'carol' }])
    expect(differencesOf(before, after)).toEqual([
      {
        type: 'user',
        id: null,
        name: 'bob',
        change: 'changed',
        fields: [
          { field: 'password', before: '***', after: '***' },
          { field: 'is_superuser', before: false, after: true },
        ],
      },
      { type: 'user', id: null, name: 'carol', change: 'added', fields: [] },
      { type: 'user', id: null, name: 'alice', change: 'removed', fields: [] },
    ])
  })

  it('have their adopted line and groups as fields', () => {
    const adopted = { line: 'test:tester', groups: ['.admin'] }
    const before = users([{ user: 'bob', password: null, adopted }])
    const after = users([
      { user: 'bob', password: null, adopted: { ...adopted, groups: ['.admin', '.reseller_admin'] } },
    ])
    expect(differencesOf(before, after)[0]?.fields).toEqual([
      { field: 'adopted_groups', before: '.admin', after: '.admin, .reseller_admin' },
    ])
  })

  it('have a blocked line of their own only where no user explains it', () => {
    const adopted = { line: 'test:tester', groups: [] }
    const present = users([{ user: 'bob', password: null, adopted }])
    expect(differencesOf(present, users([], ['test:tester']))).toMatchObject([{ type: 'user', change: 'removed' }])
    expect(differencesOf(users([], ['test:tester']), present)).toMatchObject([{ type: 'user', change: 'added' }])
    expect(differencesOf(users([]), users([], ['test:other']))).toEqual([
      { type: 'blocked_user', id: null, name: 'test:other', change: 'added', fields: [] },
    ])
  })
})
