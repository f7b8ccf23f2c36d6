import { expect, it } from 'vitest'
import type { Transaction } from '../database/transaction.js'
import { createDeployedStates } from './planner.js'

it('reads the users of a cluster once for all its proxies, and the shares of each gateway', async () => {
  const read: string[] = []
  const jobs = { findTargets: async () => ({ targets: [1, 2, 3], leftOut: [] }) }
  const states = createDeployedStates({
    jobs: { gateway: jobs, user_db: jobs },
    askProxies: async () => new Map(),
    store: { transaction: (work) => work({} as Transaction), ofNode: async () => [] },
    payloads: {
      read: async () => ({ error: 'Nothing is in force.' }),
      current: async (_tx, kind, nodeId) => {
        read.push(`${kind} ${nodeId}`)
        return { payload: `${kind} ${nodeId}` }
      },
    },
  })
  const desired = async (kind: 'gateway' | 'user_db') => {
    const found = []
    for await (const state of states.ofCluster(kind, 1)) found.push([state.nodeId, state.desired])
    return found
  }
  const users = { payload: 'user_db 1' }
  expect(await desired('user_db')).toEqual([1, 2, 3].map((id) => [id, users]))
  expect(await desired('gateway')).toEqual([1, 2, 3].map((id) => [id, { payload: `gateway ${id}` }]))
  expect(read).toEqual(['user_db 1', 'gateway 1', 'gateway 2', 'gateway 3'])
})
