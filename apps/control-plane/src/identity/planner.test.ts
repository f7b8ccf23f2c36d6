import type { IdentityPlan } from '@roost/api-types/rest'
import { expect, it } from 'vitest'
import { changedSince } from './planner.js'

const plan: IdentityPlan = { identity: '/api/v1/clusters/1/identity/', objects: [], notes: [] }
const marked = (mark: string) => ({ plan, mark })

it.each([
  ['users.keystone', 'users.keystone', false, ''],
  ['users.keystone', 'others.keystone', false, 'The users or the identity service of this cluster were changed'],
  ['users.keystone', 'users.another', false, 'Keystone was changed after the plan was reviewed'],
  ['users.keystone', 'users.another', true, 'The control plane was restarted during this deployment'],
  ['users.keystone', 'users.keystone', true, ''],
])('a plan %s that is now %s, in a resumed job: %s', (reviewed, now, isResumed, sentence) => {
  const moved = changedSince(marked(reviewed), marked(now), isResumed)
  expect(moved ?? '').toContain(sentence)
  expect(moved === undefined).toBe(sentence === '')
})
