import type { Job, User } from '@roost/api-types/rest'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { waitForJob } from '../support/gateway/deployment-lab.js'
import { isKeystoneEnabled, startKeystone } from '../support/keystone/keystone.js'
import type { Keystone } from '../support/keystone/keystone.js'
import { registerSwift } from '../support/keystone/object-store.js'
import { signIn } from '../support/keystone/session.js'
import type { KeystoneSession } from '../support/keystone/session.js'
import { runToEnd } from '../support/programs/processes.js'
import { startProxyLab } from '../support/swift/proxies.js'
import type { ProxyLab } from '../support/swift/proxies.js'
import { objectOf } from '../support/swift/session.js'
import type { Session } from '../support/swift/session.js'

const deployments = '/api/v1/user_db_deployments/'
const password = 'correct-horse-battery-staple'
const other = 'another-horse-battery-staple'

describe.skipIf(!isKeystoneEnabled || !process.env['ROOST_TEST_LONG'])(
  'users of Keystone on two real proxies (as root, with ROOST_TEST_SYSTEM=1)',
  { timeout: 400_000 },
  () => {
    let keystone: Keystone
    let admin: KeystoneSession
    let lab: ProxyLab
    const users = new Map<string, User>()
    let domain = ''

    beforeAll(async () => {
      keystone = await startKeystone()
      admin = await keystone.admin()
      await admin.make('/roles', 'role', { name: 'ResellerAdmin' })
      const registered = await registerSwift(keystone, [])
      lab = await startProxyLab({ isUnprivileged: true }, { keystone: registered, servesS3: true })
      await lab.swift.publish(keystone.port)
      const login = { auth_url: keystone.url, user: 'admin', project: 'admin', key: keystone.adminPassword }
      await lab.api.call(`${lab.cluster}identity/`, { method: 'POST', body: login })
      for (const name of ['bob', 'amy', 'probe', 'eve']) await addUser(name, name === 'eve')
    }, 400_000)
    afterAll(async () => {
      await lab?.stop()
      await keystone?.remove()
    })

    async function addUser(user: string, isSuperuser: boolean): Promise<void> {
      const body = { cluster: lab.cluster, user, password, is_superuser: isSuperuser }
      users.set(user, (await lab.api.call('/api/v1/users/', { method: 'POST', body })).body)
    }
    const uriOf = (name: string) => users.get(name)?.resource_uri ?? ''
    const change = async (name: string, fields: object) =>
      expect((await lab.api.patch(uriOf(name), fields)).status).toBe(202)
    const begin = async (): Promise<Job> =>
      (await lab.api.call(deployments, { method: 'POST', body: { cluster: lab.cluster } })).body
    const end = (job: Job) => waitForJob((path) => lab.api.get(path), job, 200_000)
    const deploy = async (): Promise<Job> => end(await begin())
    const logIn = (name: string, secret = password) =>
      signIn(keystone.url, { name, password: secret, project: name, domain })
    const accountOf = async (name: string): Promise<string> => (await lab.api.get(uriOf(name))).body.account
    /** The account of `of` on each proxy, with the token of a session. */
    const sessionsOf = async ({ token }: KeystoneSession, of: string) => {
      const account = await accountOf(of)
      return lab.swift.nodes.map(({ proxy }) => ({ status: 200, token, account: `${proxy?.url}/v1/${account}` }))
    }
    /** Reads the account of `of` on each proxy. */
    const statusesOf = async (session: KeystoneSession, of: string) =>
      Promise.all((await sessionsOf(session, of)).map(async (one) => (await objectOf(one, 'GET')).status))

    /** Keystone answers 404 to a proxy now and then while another one asks, and a proxy does not ask a server for a minute that was slow. */
    const reaches = (session: KeystoneSession, of: string, status: number) =>
      expect.poll(() => statusesOf(session, of), { timeout: 90_000, interval: 500 }).toEqual([status, status])
    const writes = (session: Session, text: string) =>
      expect.poll(async () => (await objectOf(session, 'PUT', text)).status, { timeout: 30_000 }).toBe(201)

    it('write to their account and read it, and a superuser does so in the account of another', async () => {
      expect(await deploy()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
      const { body } = await admin.call('GET', '/domains?name=roost')
      domain = (body['domains'] as readonly { readonly id: string }[])[0]?.id ?? ''
      const [bob, amy, eve] = [await logIn('bob'), await logIn('amy'), await logIn('eve')]
      const [first, second] = await sessionsOf(bob, 'bob')
      if (first === undefined || second === undefined) throw new Error('There are two proxies.')
      await writes(first, 'of bob')
      expect(await objectOf(second, 'GET')).toEqual({ status: 200, text: 'of bob' })
      await reaches(amy, 'bob', 403)
      const [foreign] = await sessionsOf(eve, 'bob')
      if (foreign) await writes(foreign, 'of eve')
      expect(await objectOf(second, 'GET')).toEqual({ status: 200, text: 'of eve' })
    })

    const runS3 = async (key: { readonly access_key: string; readonly secret_key: string }, bucket: string) => {
      const program = join(repository, 'test/support/swift/s3-session.py')
      return runToEnd('python3', [program, lab.swift.proxyUrl, key.access_key, key.secret_key, bucket])
    }

    it('work by S3 with EC2 credentials, until these are removed', async () => {
      const uri = `${uriOf('bob')}s3_credentials/`
      expect((await lab.api.get(uri)).body).toEqual({ resource_uri: uri, user: uriOf('bob'), access_keys: [] })
      const post = { method: 'POST', headers: { 'idempotency-key': 'once' } } as const
      const { status, body: key } = await lab.api.call(uri, post)
      expect([status, key]).toEqual([
        201,
        { access_key: expect.stringMatching(/^[0-9a-f]{32}$/), secret_key: expect.stringMatching(/^[0-9a-f]{40}$/) },
      ])
      expect((await lab.api.call(uri, post)).body).toEqual(key)
      expect((await lab.api.get(uri)).body).toMatchObject({ access_keys: [key.access_key] })
      const bob = await logIn('bob')
      const { body } = await bob.call('GET', `/users/${bob.userId}/credentials/OS-EC2`)
      expect(body['credentials']).toMatchObject([{ access: key.access_key, tenant_id: bob.projectId }])
      let session = 0
      const codeOfSession = async () => (await runS3(key, `of-bob-${(session += 1)}`)).code
      await expect.poll(codeOfSession, { timeout: 60_000 }).toBe(0)
      const [first] = await sessionsOf(bob, 'bob')
      const listing = async () => (await fetch(first?.account ?? '', { headers: { 'x-auth-token': bob.token } })).text()
      await expect.poll(listing, { timeout: 30_000 }).toContain(`of-bob-${session}`)
      expect((await lab.api.call(`${uri}${key.access_key}/`, { method: 'DELETE' })).status).toBe(204)
      expect((await runS3(key, 'refused')).code).not.toBe(0)
      expect((await lab.api.call(`${uri}${key.access_key}/`, { method: 'DELETE' })).status).toBe(404)
      const { prisma } = lab.api.database
      const events = await prisma.auditEvent.findMany({ where: { resource: 'users' }, orderBy: { id: 'asc' } })
      expect(events.slice(-2)).toMatchObject([
        { action: 'create', changes: { s3_access_key: [null, key.access_key] } },
        { action: 'remove', changes: { s3_access_key: [key.access_key, null] } },
      ])
      expect(JSON.stringify(events)).not.toContain(key.secret_key)
    })

    it('who lose rights are shut out of both proxies when the deployment has succeeded, also by cached tokens', async () => {
      const probe = await logIn('probe')
      const [written] = await sessionsOf(probe, 'probe')
      if (written) await writes(written, 'of probe')
      const { userId } = probe
      await admin.call('PATCH', `/users/${userId}`, { user: { enabled: false } })
      // Keystone no longer knows the token, and the proxies have it in their cache.
      await reaches(probe, 'probe', 200)
      await admin.call('PATCH', `/users/${userId}`, { user: { enabled: true } })

      const sessions = { bob: await logIn('bob'), amy: await logIn('amy'), eve: await logIn('eve') }
      await reaches(sessions.bob, 'bob', 200)
      await reaches(sessions.eve, 'bob', 200)
      await reaches(sessions.amy, 'amy', 404)
      const untouched = await logIn('probe')
      await reaches(untouched, 'probe', 200)
      await change('bob', { enabled: false })
      await change('amy', { password: other })
      await change('eve', { is_superuser: false })
      expect(await deploy()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
      expect(await statusesOf(sessions.bob, 'bob')).toEqual([401, 401])
      expect(await statusesOf(sessions.amy, 'amy')).toEqual([401, 401])
      expect(await statusesOf(sessions.eve, 'bob')).toEqual([403, 403])
      await reaches(untouched, 'probe', 200)
      await reaches(await logIn('amy', other), 'amy', 404)
    })

    it('wait for the time of a cache that the agent cannot empty', async () => {
      const [, second] = lab.swift.nodes
      await second.exec(`cd /etc/swift/proxy-server.conf.d
        sed -i 's/^cache = swift.cache/token_cache_time = 12/' 20-keystone.conf`)
      await second.stop('proxy-server')
      await second.start('proxy-server')
      const session = await logIn('probe')
      await reaches(session, 'probe', 200)
      await change('probe', { enabled: false })
      const job = await begin()
      await expect
        .poll(async () => (await lab.api.get(job.resource_uri)).body.targets[0], { timeout: 60_000, interval: 100 })
        .toMatchObject({
          state: 'staged',
          message: expect.stringContaining('caches tokens in the memory of each worker'),
        })
      expect(await end(job)).toMatchObject({ state: 'COMPLETED_SUCCESS', targets: [{ state: 'applied', message: '' }] })
      expect(await statusesOf(session, 'probe')).toEqual([401, 401])
    })

    it('are not called shut out while the agent of a proxy is away, and are when it is back', async () => {
      const { prisma } = lab.api.database
      const [, second] = lab.agents
      await lab.swift.nodes[1].exec(`cd /etc/swift/proxy-server.conf.d
        sed -i 's/^token_cache_time = 12/cache = swift.cache/' 20-keystone.conf`)
      await lab.swift.nodes[1].stop('proxy-server')
      await lab.swift.nodes[1].start('proxy-server')
      await second?.stop()
      await change('amy', { enabled: false })
      const job = await deploy()
      expect(job.state).toBe('COMPLETED_FAILED')
      expect(job.message).toMatch(/shut out on 1 of 2 proxies\. Not reached: store-n2 \(The node is not connected/)
      expect((await deploy()).state).toBe('COMPLETED_FAILED')
      second?.start()
      const audited = () => prisma.auditEvent.findFirst({ where: { action: 'revoke', resource: 'clusters' } })
      await expect.poll(audited, { timeout: 120_000, interval: 500 }).toMatchObject({ operator: 'control plane' })
      expect(await deploy()).toMatchObject({ state: 'COMPLETED_SUCCESS' })
    })
  },
)
