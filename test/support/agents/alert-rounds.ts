import type { Alert } from '@roost/api-types/rest'
import { afterAll, beforeAll, beforeEach, vi } from 'vitest'
import { startApi } from '../http/api.js'
import type { TestApi } from '../http/api.js'
import { addCluster, addNode } from './fleet-rows.js'

/** A round of the health. */
const roundMs = 30_000

/** A control plane whose clock the suite moves, with a new cluster `east` and its node `store-1` for each test. */
export interface AlertRounds {
  readonly api: TestApi
  cluster: number
  node: number
  /** Rounds of the health, half a minute apart. */
  rounds(count: number): Promise<void>
  /** Lets time pass without a round. */
  later(ms: number): Promise<void>
  /** Alerts of the cluster, unless the query asks for those of the control plane: this machine may be in any state. */
  list(query?: string): Promise<readonly Alert[]>
  /** `code subject state` of each alert. */
  brief(query?: string): Promise<readonly string[]>
  changeNode(data: object, id?: number): Promise<unknown>
}

export function useAlertRounds(env: Readonly<Record<string, string>> = {}): AlertRounds {
  let api: TestApi
  const suite: AlertRounds = {
    get api() {
      return api
    },
    cluster: 0,
    node: 0,
    async rounds(count) {
      for (let i = 0; i < count; i++) {
        vi.setSystemTime(Date.now() + roundMs)
        await api.context.healthRounds.run()
      }
    },
    later: async (ms) => void vi.setSystemTime(Date.now() + ms),
    async list(query = '') {
      const scope = query.includes('of_control_plane') ? '' : 'of_control_plane=false&'
      return (await api.get(`/api/v1/alerts/?${scope}${query}`)).body.objects as readonly Alert[]
    },
    brief: async (query = '') =>
      (await suite.list(query)).map(({ code, subject, state }) => `${code} ${subject} ${state}`),
    changeNode: (data, id = suite.node) => api.database.prisma.node.update({ where: { id }, data }),
  }
  beforeAll(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-22T10:00:00Z') })
    api = await startApi(env)
  })
  afterAll(async () => {
    await api.stop()
    vi.useRealTimers()
  })
  beforeEach(async () => {
    const { database } = api
    await database.prisma.alert.deleteMany()
    await database.prisma.device.deleteMany()
    await database.prisma.node.deleteMany()
    await database.prisma.cluster.deleteMany()
    suite.cluster = await addCluster(database, 'east')
    const columns = { hostname: 'store-1', state: 'online', lastSeen: new Date() }
    suite.node = await addNode(database, suite.cluster, columns)
    // After an interruption nothing is concluded from silence for six heartbeats.
    await suite.rounds(5)
  })
  return suite
}
