import type { AdoptableUser, Job } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import { shareApi } from '../support/http/shared-api.js'
import { isKeystoneEnabled, startKeystone } from '../support/keystone/keystone.js'
import type { Keystone } from '../support/keystone/keystone.js'
import { addProject, addUser, grantRole } from '../support/keystone/object-store.js'
import { signIn } from '../support/keystone/session.js'
import type { KeystoneSession } from '../support/keystone/session.js'

const deployments = '/api/v1/user_db_deployments/'
const password = 'correct-horse-battery-staple'

describe.skipIf(!isKeystoneEnabled || !process.env['ROOST_TEST_LONG'])(
  'users of Keystone who were adopted (as root, with ROOST_TEST_SYSTEM=1)',
  { timeout: 400_000 },
  () => {
    const server = shareApi()
    let keystone: Keystone
    let admin: KeystoneSession
    let cluster = ''
    let adoptable = ''
    let proxy: Awaited<ReturnType<typeof addLabNode>>
    beforeAll(async () => {
      keystone = await startKeystone()
      admin = await keystone.admin()
      await admin.make('/roles', 'role', { name: 'ResellerAdmin' })
      const id = await addCluster(server.api.database)
      cluster = `/api/v1/clusters/${id}/`
      adoptable = `${cluster}adoptable_users/`
      const login = { auth_url: keystone.url, user: 'admin', project: 'admin', key: keystone.adminPassword }
      await server.post(`${cluster}identity/`, login)
      proxy = await addLabNode(server.api, server.api.database, id, { runsProxy: true })
      await proxy.start({ requests: { end_cached_tokens: async () => ({ ended: 0, remain_s: 0, notes: [] }) } })
      await make('demo', 'old password', 'ResellerAdmin')
      await make('anna', 'of anna')
      await make('bystander', 'of another')
    }, 400_000)
    afterAll(async () => {
      await proxy?.remove()
      await keystone?.remove()
    })

    /** A user with a project of its name in the domain Default, as another program makes them. */
    async function make(name: string, secret: string, ...more: string[]): Promise<void> {
      const project = await addProject(admin, name)
      const user = await addUser(admin, name, secret)
      for (const role of ['member', ...more]) await grantRole(admin, role, user, project)
    }
    const logIn = (name: string, secret: string, domain?: string) =>
      signIn(keystone.url, { name, password: secret, project: name, ...(domain && { domain }) })
    const deploy = async (more: object = {}): Promise<Job> => {
      const { body } = await server.post(deployments, { cluster, ...more })
      return waitForJob(server.get, body)
    }
    const objectsOf = ({ plan }: Job) =>
      plan?.identity?.objects.map(({ type, name, change, detail }) => [type, name, change, detail].join(' ').trim())
    const listed = async () =>
      (await server.get(adoptable)).body.objects.map(({ login, domain, is_superuser, user, source }: AdoptableUser) =>
        [login, domain, is_superuser, user, source].join(' | '),
      )

    it('are listed with their projects, but not those of Roost nor the login of Roost', async () => {
      expect((await server.post('/api/v1/users/', { cluster, user: 'bob', password })).status).toBe(201)
      expect((await deploy()).state).toBe('COMPLETED_SUCCESS')
      expect(await listed()).toEqual([
        'anna | Default | false | anna | project anna of domain Default',
        'bystander | Default | false | bystander | project bystander of domain Default',
        'demo | Default | true | demo | project demo of domain Default',
      ])
      expect((await server.get(`${adoptable}?limit=1&offset=1`)).body).toMatchObject({
        meta: { total_count: 3, previous: `${adoptable}?limit=1&offset=0` },
        objects: [{ login: 'bystander' }],
      })
    })

    it('keep their login, account and password, and nothing in Keystone changes by that', async () => {
      const before = await logIn('demo', 'old password')
      const { status, body } = await server.post(adoptable, { login: 'demo' })
      expect([status, body]).toEqual([
        201,
        expect.objectContaining({
          user: 'demo',
          login: 'demo',
          account: `AUTH_${before.projectId}`,
          is_superuser: true,
          enabled: true,
        }),
      ])
      expect(objectsOf(await deploy({ dry_run: true }))).toEqual([])
      expect((await deploy()).state).toBe('COMPLETED_SUCCESS')
      expect((await before.call('GET', '/auth/projects')).status).toBe(200)
      await logIn('demo', 'old password')
      expect((await server.get(body.resource_uri)).body).toMatchObject({
        login: 'demo',
        account: `AUTH_${before.projectId}`,
      })
      expect((await server.post(adoptable, { login: 'demo' })).body.users.login[0]).toContain('no user')
      expect((await server.post(adoptable, { login: 'anna', user: 'BOB' })).body.users.user[0]).toContain(
        "a user 'bob'",
      )
      const key = await server.post(`${body.resource_uri}s3_credentials/`, {})
      expect([key.status, key.body.access_key]).toEqual([201, expect.any(String)])
    })

    it('are changed, disabled and shut out as those of Roost are, and others are not touched', async () => {
      const { body: user } = await server.post(adoptable, { login: 'anna', password })
      expect(user).toMatchObject({ password })
      expect(objectsOf(await deploy({ dry_run: true }))).toEqual(['user anna set_password'])
      expect((await deploy()).state).toBe('COMPLETED_SUCCESS')
      await expect(logIn('anna', 'of anna')).rejects.toThrow('401')
      const session = await logIn('anna', password)
      const [demo] = (await server.get(`/api/v1/users/?user=demo`)).body.objects
      await server.patch(demo.resource_uri, { is_superuser: false })
      await server.remove(user.resource_uri)
      expect(objectsOf(await deploy({ dry_run: true }))?.toSorted()).toEqual([
        'role demo revoke ResellerAdmin',
        'user anna disable removed in Roost',
      ])
      expect((await deploy()).state).toBe('COMPLETED_SUCCESS')
      await expect(logIn('anna', password)).rejects.toThrow('401')
      expect((await session.call('GET', '/auth/projects')).status).toBe(401)
      expect(objectsOf(await deploy({ dry_run: true }))).toEqual([])
      await logIn('bystander', 'of another')
      expect((await server.post(adoptable, { login: 'anna' })).body).toMatchObject({ login: 'anna', enabled: false })
      expect(objectsOf(await deploy({ dry_run: true }))).toEqual([])
    })

    it('that another program removed are named, and the others are served', async () => {
      const { body: user } = await server.post(adoptable, { login: 'bystander' })
      const { userId } = await logIn('bystander', 'of another')
      await admin.call('DELETE', `/users/${userId}`)
      const job = await deploy()
      expect([job.state, job.message]).toEqual([
        'COMPLETED_FAILED',
        expect.stringContaining("The user of 'bystander', which was adopted, is no longer in Keystone"),
      ])
      expect((await server.remove(user.resource_uri)).status).toBe(204)
      expect((await deploy()).state).toBe('COMPLETED_SUCCESS')
    })
  },
)
