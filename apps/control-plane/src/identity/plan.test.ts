import { describe, expect, it } from 'vitest'
import type { DesiredIdentity, DesiredUser } from './desired.js'
import { grantKey } from './found.js'
import type { FoundIdentity } from './found.js'
import { planIdentity, plannedObjects } from './plan.js'

const owner = 'cluster-1'
const user = (more: Partial<DesiredUser> = {}): DesiredUser => ({
  id: 1,
  name: 'bob',
  isSuperuser: false,
  enabled: true,
  password: 'correct-horse-battery-staple',
  passwordRevision: 1,
  knownPasswordRevision: 1,
  projectId: null,
  adoptedId: null,
  ...more,
})
const desiredOf = (...users: readonly DesiredUser[]): DesiredIdentity => ({
  clusterId: 1,
  owner,
  domain: 'roost',
  role: 'member',
  resellerRole: 'ResellerAdmin',
  users,
  removed: [],
})
const foundBob = { id: 'u1', name: 'bob', enabled: true, roost_cluster: owner }
const foundProject = { id: 'p1', name: 'bob', enabled: true, roost_cluster: owner }
const found = (more: Partial<FoundIdentity> = {}): FoundIdentity => ({
  roleId: 'r1',
  resellerRoleId: 'r2',
  domain: { id: 'd1', name: 'roost', enabled: true, roost_cluster: owner },
  users: [foundBob],
  projects: [foundProject],
  adopted: { users: [], projects: [] },
  grants: new Set([grantKey('r1', 'u1', 'p1')]),
  ...more,
})

function planned(desired: DesiredIdentity, state: FoundIdentity): readonly string[] {
  const changes = planIdentity(desired, state)
  const objects = plannedObjects(desired, changes, state)
  return [...objects.map(({ type, change, detail }) => `${change} ${type} ${detail}`.trim()), ...changes.conflicts]
}

const noDomain = { domain: undefined, users: [], projects: [], grants: new Set<string>() }

describe('the plan of an identity service', () => {
  const like = (pattern: RegExp) => expect.stringMatching(pattern) as string
  it.each<readonly [string, DesiredIdentity, FoundIdentity, readonly string[]]>([
    ['is empty where all is right', desiredOf(user()), found(), []],
    ['creates no domain without users', desiredOf(), found(noDomain), []],
    ['disables before all else', desiredOf(user({ enabled: false })), found(), ['disable user']],
    [
      'enables last',
      desiredOf(user({ isSuperuser: true })),
      found({ users: [{ ...foundBob, enabled: false }] }),
      ['grant role ResellerAdmin', 'enable user'],
    ],
    [
      'enables a project',
      desiredOf(user()),
      found({ projects: [{ ...foundProject, enabled: false }] }),
      ['enable project'],
    ],
    [
      'sets a password that is not known to be there',
      desiredOf(user({ knownPasswordRevision: null })),
      found(),
      ['set_password user'],
    ],
    [
      'completes a user without a project',
      desiredOf(user()),
      found({ projects: [], grants: new Set() }),
      ['create project', 'grant role member'],
    ],
    [
      'takes the reseller role',
      desiredOf(user()),
      found({ grants: new Set([grantKey('r1', 'u1', 'p1'), grantKey('r2', 'u1', 'p1')]) }),
      ['revoke role ResellerAdmin'],
    ],
    ['disables a removed user', desiredOf(), found(), ['disable user removed in Roost']],
    ['leaves a removed user that is disabled', desiredOf(), found({ users: [{ ...foundBob, enabled: false }] }), []],
    ['leaves users of others', desiredOf(), found({ users: [{ ...foundBob, roost_cluster: undefined }] }), []],
    [
      'names a user of others',
      desiredOf(user()),
      found({ users: [{ ...foundBob, roost_cluster: 'cluster-2' }] }),
      [like(/has a user 'bob' that Roost did not create/)],
    ],
    [
      'names a project of others',
      desiredOf(user()),
      found({ users: [], projects: [{ ...foundProject, roost_cluster: null }] }),
      [like(/has a project 'bob' that Roost did not create/)],
    ],
    [
      'names a domain of others',
      desiredOf(user()),
      found({ domain: { id: 'd1', name: 'roost', enabled: true } }),
      [like(/has a domain 'roost' that Roost did not create/)],
    ],
    [
      'names a removed user in another case',
      desiredOf(user({ name: 'Bob' })),
      found(),
      [like(/disable user removed/), like(/The user 'bob' of a removed user differs from 'Bob' only in case/)],
    ],
    [
      'does not replace a lost account',
      desiredOf(user({ projectId: 'p0' })),
      found({ users: [], projects: [] }),
      [like(/The project of 'bob' \(p0\) is no longer in Keystone/)],
    ],
  ])('%s', (_name, desired, state, lines) => {
    expect(planned(desired, state)).toEqual(lines)
  })
})

describe('the plan of a user who was adopted', () => {
  const adopted = user({ name: 'tester', adoptedId: 'u9', projectId: 'p9' })
  const foreign = { id: 'u9', name: 'tester@example', enabled: true }
  const objects = { users: [foreign], projects: [{ id: 'p9', name: 'demo', enabled: true }] }
  const state = (more: Partial<FoundIdentity> = {}) =>
    found({ ...noDomain, adopted: objects, grants: new Set([grantKey('r1', 'u9', 'p9')]), ...more })

  it('compares it by its id, and needs no domain', () => {
    expect(planned(desiredOf(adopted), state())).toEqual([])
    expect(planned(desiredOf({ ...adopted, enabled: false, password: null }), state())).toEqual(['disable user'])
    expect(planned(desiredOf({ ...adopted, isSuperuser: true }), state())).toEqual(['grant role ResellerAdmin'])
  })

  it('says when it or its project is no longer there', () => {
    const [gone] = planned(desiredOf(adopted), state({ adopted: { users: [], projects: [] } }))
    expect(gone).toContain("The user of 'tester', which was adopted, is no longer in Keystone")
    const [lost] = planned(desiredOf(adopted), state({ adopted: { ...objects, projects: [] } }))
    expect(lost).toContain('The project of')
  })

  it('disables it once it is removed, and does not take it for one of ours', () => {
    const removed = [{ name: 'tester', userId: 'u9', projectId: 'p9' }]
    expect(planned({ ...desiredOf(), removed }, state())).toEqual(['disable user removed in Roost'])
    const namesake = { ...desiredOf(user({ ...adopted, name: 'bob' })), removed: [] }
    const both = found({ adopted: objects, grants: new Set([grantKey('r1', 'u9', 'p9'), grantKey('r1', 'u1', 'p1')]) })
    expect(planned(namesake, both)).toEqual(['disable user removed in Roost'])
  })

  it('needs a password when it is in another Keystone than that in which it was adopted', () => {
    const [sentence] = planned(desiredOf(user({ password: null })), found({ users: [], projects: [] }))
    expect(sentence).toContain("Roost has no password of 'bob'")
  })
})
