import { afterAll, beforeAll } from 'vitest'
import { startApi } from './api.js'
import type { Answer, Call, TestApi } from './api.js'
import { addNode } from './fleet-rows.js'

export interface SharedApi {
  readonly api: TestApi
  readonly get: (path: string, headers?: Call['headers']) => Promise<Answer>
  readonly post: (path: string, body: unknown, headers?: Call['headers']) => Promise<Answer>
  readonly patch: (path: string, body: unknown, headers?: Call['headers']) => Promise<Answer>
  readonly remove: (path: string, headers?: Call['headers']) => Promise<Answer>
  /** Answers the node's id. */
  readonly addGateway: (clusterId: number) => Promise<number>
}

/** One control plane for all tests of the calling file. */
export function shareApi(): SharedApi {
  let api: TestApi
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api.stop())
  return {
    get api() {
      return api
    },
    get: (path, headers = {}) => api.get(path, headers),
    post: (path, body, headers = {}) => api.call(path, { method: 'POST', body, headers }),
    patch: (path, body, headers = {}) => api.patch(path, body, headers),
    remove: (path, headers = {}) => api.call(path, { method: 'DELETE', headers }),
    addGateway: (clusterId) => addNode(api.database, clusterId, { role: { create: { runsGateway: true } } }),
  }
}

/** The statuses of several answers, in order of size. */
export function statuses(answers: readonly Answer[]): readonly number[] {
  return answers.map(({ status }) => status).toSorted((one, other) => one - other)
}
