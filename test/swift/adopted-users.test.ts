import type { AdoptableUser, User } from '@roost/api-types/rest'
import { beforeAll, describe, expect, it } from 'vitest'
import { isSwiftEnabled } from '../support/swift/cluster.js'
import { useProxyLab } from '../support/swift/proxies.js'
import { logIn, objectOf } from '../support/swift/session.js'

const password = 'correct-horse-battery-staple'

describe.skipIf(!isSwiftEnabled || !process.env['ROOST_TEST_LONG'])(
  'users of tempauth who were adopted on two real proxies (as root, with ROOST_TEST_SYSTEM=1)',
  { timeout: 400_000 },
  () => {
    const lab = useProxyLab()
    let adoptable = ''
    beforeAll(() => {
      adoptable = `${lab.cluster}adoptable_users/`
    })

    const post = (path: string, body: object) => lab.api.call(path, { method: 'POST', body })
    const urls = () => lab.swift.nodes.slice(0, 2).map(({ proxy }) => proxy?.url ?? '')
    const logInAll = (login: string, key: string) => Promise.all(urls().map((url) => logIn(url, login, key)))
    const statuses = async (login: string, key: string) => (await logInAll(login, key)).map(({ status }) => status)
    const listed = async () => {
      const { body, text } = await lab.api.get(adoptable)
      expect(text).not.toContain('testing')
      return body.objects.map(({ login, account, user, is_superuser, problem }: AdoptableUser) =>
        [login, account, user, is_superuser, problem].join(' '),
      )
    }
    let tester: User

    it('are listed without keys, and named where another key is on another proxy', async () => {
      await lab.swift.nodes[1].exec(
        `sed -i 's/^user_test2_tester2 = testing2/user_test2_tester2 = other/' /etc/swift/proxy-server.conf.d/20-tempauth.conf`,
      )
      expect(await listed()).toEqual([
        'admin:admin AUTH_admin admin true ',
        'test2:tester2 AUTH_test2 test2-tester2 false The proxies store-n1 and store-n2 have different keys for this user. Adopt it with a new password, or make the lines equal.',
        'test:tester AUTH_test test-tester false ',
      ])
      const { status, body } = await post(adoptable, { login: 'test2:tester2' })
      expect([status, body.users.login[0]]).toEqual([400, expect.stringContaining('have different keys')])
      expect((await post(adoptable, { login: 'nobody:here' })).body.users.login[0]).toContain('user adoptable')
    })

    it('keep login, account, key and tokens, and are audited', async () => {
      const before = await logInAll('test:tester', 'testing')
      for (const session of before) expect((await objectOf(session, 'PUT', 'of before')).status).toBe(201)
      const adopted = await post(adoptable, { login: 'test:tester' })
      expect([adopted.status, adopted.body]).toEqual([
        201,
        expect.objectContaining({ user: 'test-tester', login: 'test:tester', account: 'AUTH_test', enabled: true }),
      ])
      tester = adopted.body
      const events = await lab.api.get('/api/v1/audit_events/?resource=users&action=adopt')
      expect(events.body.objects[0].changes).toEqual({
        login: [null, 'test:tester'],
        account: [null, 'AUTH_test'],
        user: [null, 'test-tester'],
      })
      expect(await lab.deployUsers()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
      for (const session of before) expect((await objectOf(session, 'GET')).text).toBe('of before')
      expect(await statuses('test:tester', 'testing')).toEqual([200, 200])
      expect(await listed()).not.toContain('test:tester AUTH_test test-tester false ')
      const secret = 'grep -l testing /var/lib/roost-agent/user_db/* 2>/dev/null || true'
      expect((await lab.swift.nodes[0].exec(secret)).trim()).toBe('')
      const { prisma } = lab.api.database
      expect(await prisma.user.findFirst({ where: { name: 'test-tester' } })).toMatchObject({ password: null })
    })

    it('are shut out when they are disabled, although the operator still has their line, and let in again', async () => {
      const sessions = await logInAll('test:tester', 'testing')
      await lab.api.patch(tester.resource_uri, { enabled: false })
      const planned = await lab.deployUsers({ cluster: lab.cluster, dry_run: true })
      expect(planned.plan?.nodes[0]?.files[0]?.diff).toBe(
        '-user_test_tester = <key> .admin\n+user_test_tester = <blocked>\n',
      )
      expect(await lab.deployUsers()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
      for (const session of sessions) expect((await objectOf(session, 'GET')).status).toBe(401)
      expect(await statuses('test:tester', 'testing')).toEqual([401, 401])
      await lab.api.patch(tester.resource_uri, { enabled: true })
      expect(await lab.deployUsers()).toMatchObject({ state: 'COMPLETED_SUCCESS' })
      expect(await statuses('test:tester', 'testing')).toEqual([200, 200])
    })

    it('stay in force when the operator removes the line, get a new password, and are shut out when they are removed', async () => {
      for (const node of lab.swift.nodes.slice(0, 2))
        await node.exec(`sed -i '/^user_test_tester/d' /etc/swift/proxy-server.conf.d/20-tempauth.conf`)
      expect(await lab.deployUsers()).toMatchObject({ state: 'COMPLETED_SUCCESS' })
      expect(await statuses('test:tester', 'testing')).toEqual([200, 200])
      const changed = await lab.api.patch(tester.resource_uri, { password })
      expect(changed.body).toMatchObject({ password, s3_access_key: 'test:tester' })
      const second = await post(adoptable, { login: 'test2:tester2', password, user: 'second' })
      expect(second.body).toMatchObject({ user: 'second', login: 'test2:tester2', password })
      expect(await lab.deployUsers()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
      expect(await statuses('test:tester', 'testing')).toEqual([401, 401])
      expect(await statuses('test:tester', password)).toEqual([200, 200])
      expect(await statuses('test2:tester2', password)).toEqual([200, 200])
      const sessions = await logInAll('test2:tester2', password)
      expect((await lab.api.call(second.body.resource_uri, { method: 'DELETE' })).status).toBe(204)
      expect(await lab.deployUsers()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
      expect(await statuses('test2:tester2', 'testing2')).toEqual([401, 401])
      expect(await statuses('test2:tester2', 'other')).toEqual([401, 401])
      for (const session of sessions) expect((await objectOf(session, 'GET')).status).toBe(401)
      expect((await post(adoptable, { login: 'test2:tester2', password })).status).toBe(201)
      expect(await lab.deployUsers()).toMatchObject({ state: 'COMPLETED_SUCCESS', message: '' })
      expect(await statuses('test2:tester2', password)).toEqual([200, 200])
    })
  },
)
