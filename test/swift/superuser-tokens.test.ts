import { createHash } from 'node:crypto'
import type { Job } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestApi } from '../support/http/api.js'
import { waitForJob } from '../support/gateway/deployment-lab.js'
import { isSwiftEnabled } from '../support/swift/cluster.js'
import type { Swift } from '../support/swift/cluster.js'
import { startProxyLab } from '../support/swift/proxies.js'
import type { ProxyLab } from '../support/swift/proxies.js'
import { logIn, objectOf } from '../support/swift/session.js'

describe.skipIf(!isSwiftEnabled)(
  'a superuser on two real proxies (as root, with ROOST_TEST_SYSTEM=1)',
  { timeout: 400_000 },
  () => {
    let lab: ProxyLab
    let swift: Swift
    let api: TestApi

    beforeAll(async () => {
      lab = await startProxyLab()
      ;({ swift, api } = lab)
    }, 400_000)
    afterAll(() => lab.stop())

    async function deploy(): Promise<Job> {
      const { body } = await api.call('/api/v1/user_db_deployments/', {
        method: 'POST',
        body: { cluster: lab.cluster },
      })
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
        const body = { cluster: lab.cluster, user: name, password, is_superuser: true }
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
