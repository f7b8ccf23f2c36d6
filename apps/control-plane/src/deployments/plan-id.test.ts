import type { NodePlan } from '@roost/api-types/rest'
import { expect, it } from 'vitest'
import { createBodyFingerprint } from '../secrets/body-fingerprint.js'
import { movedSince, planId, planMark } from './plan-id.js'

const mac = createBodyFingerprint([{ id: 'a', key: Buffer.alloc(32, 1) }])
const file = (path: string, diff: string) => ({ path, change: 'change' as const, diff })
const daemons = (action: 'none' | 'restart') => [{ daemon: 'smbd', action, sessions_lost: [] }]

function reviewed(desired: string, files: NodePlan['files'] = [], action: 'none' | 'restart' = 'none') {
  const plan = { files, daemons: daemons(action), mounts: { started: [], stopped: [] }, notes: [] }
  const mark = planMark(mac, 1, desired, plan)
  return { plan: { node: '/api/v1/nodes/1/', ...plan, error: null }, mark }
}

it('a plan that is the same has not moved', () => {
  expect(movedSince(reviewed('a', [file('x', '+1')]), reviewed('a', [file('x', '+1')]))).toBeUndefined()
})

it('what has moved is named: what is wanted, the files, or the daemons', () => {
  const one = reviewed('a', [file('x', '+1'), file('y', '+1')])
  expect(movedSince(one, reviewed('b', [file('x', '+1')]))).toContain('The desired state of this node was changed')
  expect(movedSince(one, reviewed('a', [file('x', '+2'), file('z', '+1')]))).toContain('(x, y, z)')
  expect(movedSince(reviewed('a'), reviewed('a', [], 'restart'))).toContain('(the actions of its daemons)')
})

it('the name of plans depends on each of them and not on their order', () => {
  expect(planId(['a', 'b'])).toBe(planId(['b', 'a']))
  expect(planId(['a', 'b'])).not.toBe(planId(['a', 'c']))
})

it('a mark tells nothing without the key', () => {
  const other = createBodyFingerprint([{ id: 'a', key: Buffer.alloc(32, 2) }])
  const { plan } = reviewed('password')
  expect(planMark(other, 1, 'password', plan)).not.toBe(planMark(mac, 1, 'password', plan))
})
