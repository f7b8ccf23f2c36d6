import { beforeEach } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'
import type { Answer } from '../support/http/api.js'

export const password = 'correct-horse-battery-staple'
export const list = '/api/v1/users/'

/** One control plane for the tests of users, with a new cluster for each test. */
export function usersApi() {
  const server = shareApi()
  const at = { clusterId: 0, cluster: '' }
  beforeEach(async () => {
    at.clusterId = await addCluster(server.api.database)
    at.cluster = `/api/v1/clusters/${at.clusterId}/`
  })
  const bob = (more: object = {}) => ({ cluster: at.cluster, user: 'bob', password, ...more })
  const create = async (more: object = {}) => (await server.post(list, bob(more))).body
  return { server, at, bob, create }
}

export const faults = (answer: Pick<Answer, 'body'>) => answer.body.users
