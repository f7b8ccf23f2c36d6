import type { IdentityHealth } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { waitForJob } from '../support/gateway/deployment-lab.js'
import { shareApi } from '../support/http/shared-api.js'
import { isKeystoneEnabled, startKeystone } from '../support/keystone/keystone.js'
import type { Keystone } from '../support/keystone/keystone.js'
import type { KeystoneSession } from '../support/keystone/session.js'

const password = 'correct-horse-battery-staple'

describe.skipIf(!isKeystoneEnabled || !process.env['ROOST_TEST_LONG'])(
  'the users of a cluster in Keystone (as root, with ROOST_TEST_SYSTEM=1)',
  { timeout: 400_000 },
  () => {
    const server = shareApi()
    let keystone: Keystone
    let admin: KeystoneSession
    let clusterId = 0
    let cluster = ''
    beforeAll(async () => {
      keystone = await startKeystone()
      admin = await keystone.admin()
      await admin.make('/roles', 'role', { name: 'ResellerAdmin' })
      clusterId = await addCluster(server.api.database)
      cluster = `/api/v1/clusters/${clusterId}/`
      const login = { auth_url: keystone.url, user: 'admin', project: 'admin', key: keystone.adminPassword }
      await server.post(`${cluster}identity/`, login)
    }, 400_000)
    afterAll(() => keystone?.remove())

    const identityOf = async (): Promise<IdentityHealth> => (await server.get(`${cluster}health/`)).body.identity
    const becomes = (state: string) =>
      expect.poll(async () => (await identityOf()).state, { timeout: 90_000, interval: 500 }).toBe(state)
    /** Has Keystone compared until that is its state: a comparison of before may still end meanwhile. */
    async function comparedAgain(state: string): Promise<void> {
      const data = { checkedAt: new Date(0) }
      const compared = async () => {
        const now = (await identityOf()).state
        if (now !== state) await server.api.database.prisma.identityService.update({ where: { clusterId }, data })
        return now
      }
      await expect.poll(compared, { timeout: 90_000, interval: 500 }).toBe(state)
    }
    async function deploy(): Promise<void> {
      const { body } = await server.post('/api/v1/user_db_deployments/', { cluster })
      expect((await waitForJob(server.get, body)).state).toBe('COMPLETED_SUCCESS')
    }

    it('are compared with it again: what another program changed there shows until the next deployment', async () => {
      const { body: bob } = await server.post('/api/v1/users/', { cluster, user: 'bob', password })
      await comparedAgain('pending')
      await deploy()
      await becomes('synced')
      const { body } = await admin.call('GET', '/users?name=bob')
      const [{ id }] = body['users'] as [{ id: string }]
      await admin.call('PATCH', `/users/${id}`, { user: { enabled: false } })
      await comparedAgain('drifted')
      expect((await identityOf()).detail).toBe("A deployment would enable the user 'bob'.")
      expect((await server.patch(bob.resource_uri, { is_superuser: true })).status).toBe(202)
      await comparedAgain('pending')
      await deploy()
      await becomes('synced')
    })

    it('cannot be compared while it does not answer, which is no drift', async () => {
      await keystone.stop()
      await comparedAgain('unreachable')
      expect((await identityOf()).detail).toContain('does not answer')
      await keystone.start()
      await comparedAgain('synced')
    })
  },
)
