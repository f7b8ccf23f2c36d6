import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { expectPromised } from '../support/clock/promised.js'
import { isSwiftEnabled } from '../support/swift/cluster.js'
import { useProxyLab } from '../support/swift/proxies.js'
import { logIn, objectOf } from '../support/swift/session.js'

describe.skipIf(!isSwiftEnabled || !process.env['ROOST_TEST_LONG'])(
  'a superuser on two real proxies (as root, with ROOST_TEST_SYSTEM=1)',
  { timeout: 400_000 },
  () => {
    const lab = useProxyLab()

    /** As memcached does when it needs room: the proxies no longer know that the user has a token, and make another. */
    async function forgetLatest(login: string): Promise<void> {
      const key = createHash('md5').update(`AUTH_/user/${login}`).digest('hex')
      for (const { address } of lab.swift.nodes.slice(0, 2))
        await lab.swift.nodes[0].exec(
          `python3 -c "import socket; s = socket.create_connection(('${address}', 11211)); s.sendall(b'delete ${key}\\r\\n'); s.recv(99)"`,
        )
    }

    it.each(['demoted', 'deleted'])(
      'who is %s loses every token of before, also those that nothing leads to',
      async (how) => {
        const [name, password] = [`sara-${how}`, 'saras-password-is-this-1']
        const login = `${name}:${name}`
        const body = { cluster: lab.cluster, user: name, password, is_superuser: true }
        const { body: user } = await lab.api.call('/api/v1/users/', { method: 'POST', body })
        expect(await lab.deployUsers()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
        const sessions: Awaited<ReturnType<typeof logIn>>[] = []
        for (let i = 0; i < 10; i++) {
          for (const { proxy } of lab.swift.nodes.slice(0, 2))
            sessions.push(await logIn(proxy?.url ?? '', login, password))
          await forgetLatest(login)
        }
        expect(new Set(sessions.map(({ token }) => token)).size).toBeGreaterThanOrEqual(10)
        const statuses = () => Promise.all(sessions.map(async (session) => (await objectOf(session, 'GET')).status))
        expect(await statuses()).not.toContain(401)
        if (how === 'demoted') await lab.api.patch(user.resource_uri, { is_superuser: false })
        else await lab.api.call(user.resource_uri, { method: 'DELETE' })
        expect(await lab.deployUsers()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
        expect(new Set(await statuses())).toEqual(new Set([401]))
      },
    )

    it('and another user who log in each second while their rights change have no token of before after success', async () => {
      const logins = ['tina', 'ugo'].map((name) => ({ name, password: `${name}s-password-is-this-1` }))
      const uris: string[] = []
      for (const { name: user, password } of logins) {
        const body = { cluster: lab.cluster, user, password, is_superuser: true }
        uris.push((await lab.api.call('/api/v1/users/', { method: 'POST', body })).body.resource_uri)
      }
      expect(await lab.deployUsers()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
      const sessions: (Awaited<ReturnType<typeof logIn>> & { readonly at: number })[] = []
      const logInAll = async () => {
        for (const { name, password } of logins)
          for (const { proxy } of lab.swift.nodes.slice(0, 2))
            sessions.push({ ...(await logIn(proxy?.url ?? '', `${name}:${name}`, password)), at: Date.now() })
      }
      await logInAll()
      for (const uri of uris) await lab.api.patch(uri, { is_superuser: false })
      const clients = setInterval(() => void logInAll().catch(() => {}), 1_000)
      const job = await lab.deployUsers().finally(() => clearInterval(clients))
      expect(job).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
      // Of another tenant: only a superuser may read it.
      const foreign = (account: string) => account.replace(/AUTH_.*$/, 'AUTH_test')
      const readsForeign = async ({ token, account }: (typeof sessions)[number]) =>
        (await fetch(foreign(account), { headers: { 'x-auth-token': token, connection: 'close' } })).status
      const answers = await Promise.all(sessions.filter(({ token }) => token !== '').map(readsForeign))
      expect(answers.length).toBeGreaterThan(8)
      expect(answers.filter((status) => status !== 401 && status !== 403)).toEqual([])
    })

    it('is shut out on what can be reached, and on a memcached server that was away within a minute of its return', async () => {
      const [name, password] = ['vera', 'veras-password-is-this-1']
      const body = { cluster: lab.cluster, user: name, password, is_superuser: true }
      const { body: user } = await lab.api.call('/api/v1/users/', { method: 'POST', body })
      expect(await lab.deployUsers()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
      const second = lab.swift.nodes[1]
      const away = `${second.address}:11211`
      const sessions: Awaited<ReturnType<typeof logIn>>[] = []
      for (let i = 0; i < 10; i++) {
        for (const { proxy } of lab.swift.nodes.slice(0, 2))
          sessions.push(await logIn(proxy?.url ?? '', `${name}:${name}`, password))
        await forgetLatest(`${name}:${name}`)
      }
      const accepted = async () => {
        const statuses = await Promise.all(sessions.map(async (session) => (await objectOf(session, 'GET')).status))
        return statuses.filter((status) => status !== 401).length
      }
      await second.exec(`pkill -STOP -f '[m]emcached .*-l ${second.address}'`)
      await lab.api.patch(user.resource_uri, { is_superuser: false })
      const started = Date.now()
      const job = await lab.deployUsers()
      console.info(`shut out with one memcached server away: ${Date.now() - started} ms`)
      expect(job.state).toBe('COMPLETED_FAILED')
      expect(job.message).toContain(`Not reached: memcached ${away}`)
      const returned = performance.now()
      // From outside: nsenter stops with its child, and would wait for this signal when the lab ends.
      await promisify(execFile)('pkill', ['-CONT', '-f', `[m]emcached .*-l ${second.address}`])
      await expect.poll(accepted, { timeout: 200_000, interval: 500 }).toBe(0)
      expectPromised('shut out after the return of memcached', performance.now() - returned, 60_000)
      const events = async () =>
        (await lab.api.get('/api/v1/audit_events/?resource=nodes&action=revoke')).body.meta.total_count
      await expect.poll(events, { timeout: 120_000 }).toBe(2)
    })
  },
)
