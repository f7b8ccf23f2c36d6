import type { Job } from '@roost/api-types/rest'
import { describe, expect, it, onTestFailed, onTestFinished } from 'vitest'
import { waitForJob } from '../support/gateway/deployment-lab.js'
import { isSwiftEnabled } from '../support/swift/cluster.js'
import { useProxyLab } from '../support/swift/proxies.js'
import { requestRepeatedly, logIn, objectOf } from '../support/swift/session.js'

const file = '/etc/swift/proxy-server.conf.d/50-roost-users.conf'

describe.skipIf(!isSwiftEnabled)(
  'users on a real Swift (as root, with ROOST_TEST_SYSTEM=1)',
  { timeout: 400_000 },
  () => {
    const lab = useProxyLab({ isUnprivileged: true })
    const ids = new Map<string, string>()

    const urls = () => lab.swift.nodes.flatMap(({ proxy }) => proxy?.url ?? [])

    const logInTo = (user: string, key: string) => logIn(lab.swift.proxyUrl, user, key)
    const statusesOf = (user: string, key: string) =>
      Promise.all(urls().map(async (url) => (await logIn(url, `${user}:${user}`, key)).status))

    async function add(user: string, password: string, more: object = {}): Promise<void> {
      const body = { cluster: lab.cluster, user, password, ...more }
      const { status, body: made } = await lab.api.call('/api/v1/users/', { method: 'POST', body })
      expect(status).toBe(201)
      ids.set(user, made.id)
    }
    const change = async (user: string, body: object) =>
      expect((await lab.api.patch(`/api/v1/users/${ids.get(user)}/`, body)).status).toBe(202)
    const remove = async (user: string) =>
      expect((await lab.api.call(`/api/v1/users/${ids.get(user)}/`, { method: 'DELETE' })).status).toBe(204)

    async function deployed(body?: object): Promise<Job> {
      const job = await lab.deployUsers(body)
      expect(job).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
      return job
    }

    it('are planned with a diff that shows no key', async () => {
      await add('bob', 'bobs-password-is-this-1')
      const job = await deployed({ cluster: lab.cluster, dry_run: true })
      expect(job.plan?.nodes[0]).toMatchObject({
        files: [{ path: file, change: 'create', diff: '+user_bob_bob = <key> .admin\n' }],
        daemons: [{ daemon: 'swift-proxy-server', action: 'reload', sessions_lost: [] }],
      })
      expect(await statusesOf('bob', 'bobs-password-is-this-1')).toEqual([401, 401])
    })

    it('log in to every proxy once a deployment has ended, whatever name and password the API took', async () => {
      const odd = [
        ['a', `;#=%d[]"'\\${'x'.repeat(12)}`],
        ['0', `=${'y'.repeat(19)}`],
        ['A.b-C', `#${'!~'.repeat(10)}`],
        ['with_line', `%%s${'%'.repeat(20)}`],
        ['with_line_', `[filter:tempauth]${'z'.repeat(10)}`],
        ['x'.repeat(64), '!~'.repeat(512)],
        [`${'y'.repeat(63)}_`, '$host:$HOS:T//$H'.repeat(2)],
      ] as const
      for (const [user, password] of odd) await add(user, password)
      await add('carol', 'carols-password-is-this-1', { is_superuser: true })
      await deployed()
      for (const [user, password] of odd) expect([user, await statusesOf(user, password)]).toEqual([user, [200, 200]])
      expect(await statusesOf('bob', 'bobs-password-is-this-1')).toEqual([200, 200])
      expect(await statusesOf('bob', 'bobs-password-is-this-2')).toEqual([401, 401])

      const bob = await logInTo('bob:bob', 'bobs-password-is-this-1')
      expect(bob.account).toMatch(/\/v1\/AUTH_bob$/)
      expect((await objectOf(bob, 'PUT', 'kept')).status).toBe(201)
      const carol = await logInTo('carol:carol', 'carols-password-is-this-1')
      expect(await objectOf({ ...carol, account: bob.account }, 'GET')).toEqual({ status: 200, text: 'kept' })
      const other = await logInTo('a:a', odd[0][1])
      expect((await objectOf({ ...other, account: bob.account }, 'GET')).status).toBe(403)
    })

    it('leave those of the operator as they were', async () => {
      expect((await logInTo('test:tester', 'testing')).status).toBe(200)
      expect((await logInTo('admin:admin', 'admin')).status).toBe(200)
    })

    it('that are disabled, removed or re-keyed are refused at once, with the tokens that they had', async () => {
      await add('dora', 'doras-password-is-this-1')
      await add('emil', 'emils-password-is-this-1')
      await deployed({ node: lab.proxies[0] })
      const keys = {
        bob: 'bobs-password-is-this-1',
        dora: 'doras-password-is-this-1',
        emil: 'emils-password-is-this-1',
      }
      const before = await Promise.all(Object.entries(keys).map(([user, key]) => logInTo(`${user}:${user}`, key)))
      for (const session of before) expect((await objectOf(session, 'PUT', 'kept')).status).toBe(201)
      const a = await logInTo('a:a', `;#=%d[]"'\\${'x'.repeat(12)}`)

      await change('bob', { enabled: false })
      await remove('dora')
      await change('emil', { password: 'emils-password-is-this-2' })
      await deployed()
      for (const session of before) expect((await objectOf(session, 'GET')).status).toBe(401)
      for (const [user, key] of Object.entries(keys)) expect(await statusesOf(user, key)).toEqual([401, 401])
      expect(await statusesOf('emil', 'emils-password-is-this-2')).toEqual([200, 200])
      // Sessions of the others go on.
      expect((await objectOf(a, 'PUT', 'mine')).status).toBe(201)

      await add('dora', 'doras-password-is-this-3')
      await deployed({ node: lab.proxies[0] })
      const again = await logInTo('dora:dora', 'doras-password-is-this-3')
      expect(await objectOf(again, 'GET')).toEqual({ status: 200, text: 'kept' })
      expect(before.map(({ token }) => token)).not.toContain(again.token)
    })

    it('cost a client that asks all the time no request, over ten deployments', { timeout: 1_500_000 }, async () => {
      const session = await logInTo('test:tester', 'testing')
      await objectOf(session, 'PUT', 'there')
      const asked = new AbortController()
      const asking = requestRepeatedly(session, asked.signal)
      onTestFinished(() => asked.abort())
      for (let i = 0; i < 10; i++) {
        await change('carol', { password: `carols-password-is-that-${i}` })
        await deployed({ node: lab.proxies[0] })
      }
      asked.abort()
      const { answers, failures, sentAgain } = await asking
      expect(failures).toEqual([])
      expect(answers).toBeGreaterThan(10)
      expect(sentAgain).toBeLessThanOrEqual(10)
      expect((await logInTo('carol:carol', 'carols-password-is-that-9')).status).toBe(200)
    })

    const mainPid = () => lab.swift.nodes[0].exec('pgrep -o -f "[s]wift-proxy-server /etc"')
    const ownFile = () => lab.swift.nodes[0].exec(`cat ${file}`)

    it('are not deployed with a configuration that would end the proxy: it goes on, and the job says why', async () => {
      const [pid, text] = await Promise.all([mainPid(), ownFile()])
      const broken = '/etc/swift/proxy-server.conf.d/30-broken.conf'
      onTestFinished(async () => void (await lab.swift.nodes[0].exec(`rm -f ${broken}`)))
      await lab.swift.nodes[0].exec(`printf '[filter:tempauth]\nuser_without = secret\n' > ${broken}`)
      await change('carol', { password: 'carols-password-is-another' })
      const job = await lab.deployUsers()
      expect(job).toMatchObject({ state: 'COMPLETED_FAILED', targets: [{ state: 'failed' }, { state: 'applied' }] })
      // The other proxy does not wait, because the old password has to end.
      expect(job.message).toContain('user_without was provided in an invalid format')
      expect(JSON.stringify(job)).not.toContain('secret')
      expect(await Promise.all([mainPid(), ownFile()])).toEqual([pid, text])
      expect((await logInTo('carol:carol', 'carols-password-is-that-9')).status).toBe(200)
      await lab.swift.nodes[0].exec(`chmod 600 ${broken}`)
      const unreadable = await lab.deployUsers({ node: lab.proxies[0] })
      expect(unreadable.message).toContain('its workers may not read')
    })

    it('never take the line of a user that the operator has: the collision is named', async () => {
      const text = await ownFile()
      await add('Admin', 'admins-password-is-this-1')
      onTestFinished(() => remove('Admin'))
      const job = await lab.deployUsers({ node: lab.proxies[0] })
      expect(job.message).toContain("'Admin:Admin' (user_admin_admin)")
      expect(await ownFile()).toBe(text)
      expect((await logInTo('admin:admin', 'admin')).status).toBe(200)
    })

    it('are not deployed to a cluster on Keystone, and the job says so', async () => {
      const base = '/etc/swift/proxy-server.conf.d/10-base.conf'
      const keystone = '[filter:keystoneauth]\nuse = egg:swift#keystoneauth\n'
      onTestFinished(async () => void (await lab.swift.nodes[0].exec(`mv /etc/swift/base ${base}`)))
      await lab.swift.nodes[0].exec(
        `cp -p ${base} /etc/swift/base; sed -i 's/ tempauth / keystoneauth /' ${base}; printf '${keystone}' >> ${base}`,
      )
      const job = await lab.deployUsers({ node: lab.proxies[0] })
      expect(job.message).toContain('Users are deployed to tempauth only.')
    })

    /** One that a failed test left armed, or ended. */
    const runAgain = async () => {
      await lab.agents[0]?.stop('SIGKILL')
      lab.agents[0]?.start()
    }

    it('return to what they were when a step after the change fails', async () => {
      const text = await ownFile()
      onTestFailed(runAgain)
      await lab.agents[0]?.stop()
      lab.agents[0]?.start('agent.apply.afterReload=throw@1')
      await change('emil', { password: 'emils-password-is-this-3' })
      const job = await lab.deployUsers({ node: lab.proxies[0] })
      expect(job.message).toBe('failpoint agent.apply.afterReload The previous users are restored.')
      expect(job).toMatchObject({ state: 'COMPLETED_FAILED', targets: [{ state: 'rolled_back' }] })
      expect(await ownFile()).toBe(text)
      expect((await logInTo('emil:emil', 'emils-password-is-this-2')).status).toBe(200)
      expect((await logInTo('emil:emil', 'emils-password-is-this-3')).status).toBe(401)
    })

    it('are as the deployment wants them after the agent was killed in the middle of it', async () => {
      const before = await logInTo('emil:emil', 'emils-password-is-this-2')
      onTestFailed(runAgain)
      await lab.agents[0]?.stop()
      lab.agents[0]?.start('agent.apply.afterRename=exit')
      const body = { node: lab.proxies[0] }
      const { body: job } = await lab.api.call('/api/v1/user_db_deployments/', { method: 'POST', body })
      await lab.agents[0]?.ended()
      lab.agents[0]?.start()
      expect(await waitForJob((path) => lab.api.get(path), job, 200_000)).toMatchObject({ state: 'COMPLETED_SUCCESS' })
      expect((await logInTo('emil:emil', 'emils-password-is-this-2')).status).toBe(401)
      expect((await logInTo('emil:emil', 'emils-password-is-this-3')).status).toBe(200)
      expect((await objectOf(before, 'GET')).status).toBe(401)
      expect(await lab.swift.nodes[0].exec('ls -A /etc/swift/proxy-server.conf.d')).not.toContain('before')
    })

    it('that somebody changed by hand are drift, without keys, and are put right when asked', async () => {
      await lab.swift.nodes[0].exec(
        `sed -i 's/^user_emil_emil = .*/user_emil_emil = by-hand .admin .reseller_admin/' ${file}`,
      )
      const drift = async () => (await lab.api.get(`${lab.proxies[0]}drift/`)).body
      await expect
        .poll(async () => JSON.stringify(await drift()), { timeout: 180_000, interval: 500 })
        .toContain('by hand')
      const shown = JSON.stringify(await drift())
      expect(shown).toContain('-user_emil_emil')
      expect(shown).not.toMatch(/by-hand|password/)
      await lab.api.call(`${lab.proxies[0]}drift/`, { method: 'POST', body: { action: 'reapply' } })
      await expect
        .poll(async () => JSON.stringify(await drift()), { timeout: 180_000, interval: 500 })
        .not.toContain('by hand')
      expect((await logInTo('emil:emil', 'emils-password-is-this-3')).status).toBe(200)
    })
  },
)
