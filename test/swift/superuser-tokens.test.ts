import { createHash } from 'node:crypto'
import type { Job } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { waitForJob } from '../support/gateway/deployment-lab.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addSwiftAgent } from '../support/swift/agent.js'
import type { SwiftAgent } from '../support/swift/agent.js'
import { isSwiftEnabled, startSwift } from '../support/swift/cluster.js'
import type { Swift } from '../support/swift/cluster.js'
import { logIn, objectOf } from '../support/swift/session.js'

describe.skipIf(!isSwiftEnabled)(
  'a superuser on two real proxies (as root, with ROOST_TEST_SYSTEM=1)',
  { timeout: 400_000 },
  () => {
    let swift: Swift
    let api: TestApi
    let cluster = ''
    let agents: readonly SwiftAgent[] = []

    beforeAll(async () => {
      ;[swift, api] = await Promise.all([startSwift({ proxies: 2 }), startApi()])
      const clusterId = await addCluster(api.database, 'real')
      cluster = `/api/v1/clusters/${clusterId}/`
      const [one, two] = swift.nodes
      agents = [await addSwiftAgent(swift, one, api, clusterId), await addSwiftAgent(swift, two, api, clusterId)]
      for (const agent of agents) agent.start()
      const proxies = async () => {
        const { body } = await api.get('/api/v1/nodes/?state=online&runs_proxy=true')
        if (body.objects.length !== 2) throw new Error('The agents are not there yet.')
      }
      await vi.waitFor(proxies, { timeout: 200_000, interval: 200 })
    }, 400_000)
    afterAll(async () => {
      await Promise.all(agents.map((agent) => agent.stop()))
      await api.stop()
      await swift.stop()
    })

    async function deploy(): Promise<Job> {
      const { body } = await api.call('/api/v1/user_db_deployments/', { method: 'POST', body: { cluster } })
      return waitForJob((path) => api.get(path), body, 200_000)
    }

    /** As memcached does when it needs room: the proxies no longer know that the user has a token, and make another. */
    async function forgetLatest(login: string): Promise<void> {
      const key = createHash('md5').update(`AUTH_/user/${login}`).digest('hex')
      for (const { address } of swift.nodes.slice(0, 2))
        await swift.nodes[0].exec(
          `python3 -c "import socket; s = socket.create_connection(('${address}', 11211)); s.sendall(b'delete ${key}\\r\\n'); s.recv(99)"`,
        )
    }

    it.each(['demoted', 'deleted'])(
      'who is %s loses every token of before, also those that nothing leads to',
      async (how) => {
        const [name, password] = [`sara-${how}`, 'saras-password-is-this-1']
        const login = `${name}:${name}`
        const body = { cluster, user: name, password, is_superuser: true }
        const { body: user } = await api.call('/api/v1/users/', { method: 'POST', body })
        expect(await deploy()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
        const sessions: Awaited<ReturnType<typeof logIn>>[] = []
        for (let i = 0; i < 10; i++) {
          for (const { proxy } of swift.nodes.slice(0, 2)) sessions.push(await logIn(proxy?.url ?? '', login, password))
          await forgetLatest(login)
        }
        expect(new Set(sessions.map(({ token }) => token)).size).toBeGreaterThanOrEqual(10)
        const statuses = () => Promise.all(sessions.map(async (session) => (await objectOf(session, 'GET')).status))
        expect(await statuses()).not.toContain(401)
        if (how === 'demoted') await api.patch(user.resource_uri, { is_superuser: false })
        else await api.call(user.resource_uri, { method: 'DELETE' })
        expect(await deploy()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
        expect(new Set(await statuses())).toEqual(new Set([401]))
      },
    )
  },
)
