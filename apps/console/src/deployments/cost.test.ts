import { expect, it } from 'vitest'
import { costOf } from './cost.js'

const node = {
  node: '/api/v1/nodes/1/',
  files: [],
  daemons: [],
  mounts: { started: [], stopped: [] },
  notes: [],
  error: null,
}
const lost = { share: 'media', client: '10.1.4.17', user: null }

it('counts the sessions of every daemon that end, and the servers that restart', () => {
  const daemons = [
    { daemon: 'smbd', action: 'close-share' as const, sessions_lost: [lost, lost] },
    { daemon: 'nfs-ganesha', action: 'restart' as const, sessions_lost: [lost] },
  ]
  expect(costOf({ plan_id: 'p', nodes: [{ ...node, daemons }, node] })).toEqual({
    nodes: 2,
    files: 0,
    restarts: 1,
    sessions: 3,
    failed: 0,
    changes: true,
  })
})

it('knows a plan that changes nothing, and one of mounts alone', () => {
  const mounted = { ...node, mounts: { started: ['3'], stopped: [] } }
  expect(costOf({ plan_id: 'p', nodes: [node] }).changes).toBe(false)
  expect(costOf({ plan_id: 'p', nodes: [mounted] }).changes).toBe(true)
})
