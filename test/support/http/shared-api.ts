import { createClient } from '@roost/api-types'
import type { Client } from '@roost/api-types'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import { startApi } from './api.js'
import type { Answer, Call, TestApi } from './api.js'
import { addNode } from '../agents/fleet-rows.js'

export interface SharedApi {
  readonly api: TestApi
  readonly get: (path: string, headers?: Call['headers']) => Promise<Answer>
  readonly post: (path: string, body: unknown, headers?: Call['headers']) => Promise<Answer>
  readonly patch: (path: string, body: unknown, headers?: Call['headers']) => Promise<Answer>
  readonly remove: (path: string, headers?: Call['headers']) => Promise<Answer>
  /** Answers the node's id. */
  readonly addGateway: (clusterId: number) => Promise<number>
}

/** One control plane for all tests of the calling file. Waits where the rate of a key is exceeded, as a client should. */
export function shareApi(env: Readonly<Record<string, string>> = {}): SharedApi {
  let api: TestApi
  beforeAll(async () => {
    api = await startApi(env)
  })
  afterAll(() => api.stop())
  const call: TestApi['call'] = async (path, options) => {
    for (;;) {
      const answer = await api.call(path, options)
      if (answer.status !== 429) return answer
      await sleep(Number(answer.headers['retry-after']) * 1000)
    }
  }
  return {
    get api() {
      return api
    },
    get: (path, headers = {}) => call(path, { headers }),
    post: (path, body, headers = {}) => call(path, { method: 'POST', body, headers }),
    patch: (path, body, headers = {}) => call(path, { method: 'PATCH', body, headers }),
    remove: (path, headers = {}) => call(path, { method: 'DELETE', headers }),
    addGateway: (clusterId) => addNode(api.database, clusterId, { role: { create: { runsGateway: true } } }),
  }
}

/** Starts a control plane for the calling file, which awaits it before its tests; it stops after them. */
export async function useApi(env: Readonly<Record<string, string>> = {}): Promise<TestApi> {
  const api = await startApi(env)
  afterAll(() => api.stop())
  return api
}

/** The typed client of the first operator, for all tests of the calling file. */
export function shareClient(server: Pick<SharedApi, 'api'>): Pick<Client, 'rpc'> {
  let client: Client
  beforeAll(() => {
    const { url, ca, key } = server.api
    client = createClient({ url, ca, apiKey: key })
  })
  afterAll(() => client.close())
  return {
    get rpc() {
      return client.rpc
    },
  }
}

/** The statuses of several answers, in order of size. */
export function statuses(answers: readonly Answer[]): readonly number[] {
  return answers.map(({ status }) => status).toSorted((one, other) => one - other)
}
