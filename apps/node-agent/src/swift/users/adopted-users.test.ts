import { join } from 'node:path'
import type { DesiredState, DesiredUser } from '@roost/api-types/agent'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { createUserDbApplier } from './applier.js'
import { entriesOf, parseUserFile, renderUserFile } from './lines/render.js'
import { listProxyUsers } from './proxy-users.js'
import { quickClock, ScriptedProxy } from './testing/scripted-proxy.js'

const operator =
  '[filter:tempauth]\nuser_test_tester = testing .admin\nuser64_YV9i_Yw = of-c .reseller_admin http://x/v1/AUTH_own\n'
const lines = 'etc/swift/proxy-server.conf.d/20-users.conf'
const tester = (more: Partial<DesiredUser> = {}): DesiredUser => ({
  user: 'test-tester',
  password: null,
  is_superuser: false,
  adopted: { line: 'user_test_tester', groups: ['.admin'] },
  ...more,
})

describe('users who were adopted from the configuration of a proxy', () => {
  const proxy = new ScriptedProxy()
  beforeEach(async () => {
    Object.assign(proxy, { reloads: 0, verdict: 'OK\n', isDeaf: false })
    proxy.revoked.length = 0
    await proxy.start()
    await proxy.write(lines, operator)
  })
  afterEach(() => proxy.stop())

  const open = () => {
    const machine = openMachine(proxy.root)
    return createUserDbApplier({
      machine,
      kernel: machine,
      run: proxy.run,
      signal: proxy.signal,
      swiftDirectory: '/etc/swift',
      dir: join(proxy.root, 'state'),
      node: 'a-uuid',
      clock: quickClock(proxy),
      reloadTimeoutMs: 60_000,
    })
  }
  const state = (users: readonly DesiredUser[], ...blocked: string[]): DesiredState & { readonly kind: 'user_db' } => ({
    kind: 'user_db',
    users: [...users],
    ...(blocked.length > 0 && { blocked }),
  })
  const apply = (generation: number, desired: ReturnType<typeof state>) => open().apply(desired, generation, () => {})
  const written = async () => parseUserFile((await proxy.read()) ?? '')

  it('are listed without their keys, which are compared by a salt', () => {
    const machine = openMachine(proxy.root)
    const list = (salt: string) => listProxyUsers(machine, machine, { swiftDirectory: '/etc/swift', salt })
    const users = list('a')
    expect(
      users.map(({ line, login, account, groups, file, problem }) => [line, login, account, groups, file, problem]),
    ).toEqual([
      [
        'user_admin_admin',
        'admin:admin',
        'AUTH_admin',
        ['.admin'],
        '/etc/swift/proxy-server.conf.d/10-base.conf',
        null,
      ],
      ['user_test_tester', 'test:tester', 'AUTH_test', ['.admin'], `/${lines}`, null],
      ['user64_YV9i_Yw', 'a_b:c', 'AUTH_own', ['.reseller_admin', 'http://x/v1/AUTH_own'], `/${lines}`, null],
    ])
    expect(JSON.stringify(users)).not.toMatch(/testing|of-c/)
    expect(list('a')[1]?.key_mac).toBe(users[1]?.key_mac)
    expect(list('b')[1]?.key_mac).not.toBe(users[1]?.key_mac)
  })

  it('cannot be adopted from a file that the proxy reads after that of Roost', async () => {
    await proxy.write('etc/swift/proxy-server.conf.d/60-late.conf', '[filter:tempauth]\nuser_late_late = key .admin\n')
    const machine = openMachine(proxy.root)
    const users = listProxyUsers(machine, machine, { swiftDirectory: '/etc/swift', salt: 'a' })
    expect(users.find(({ login }) => login === 'late:late')?.problem).toContain(
      'reads /etc/swift/proxy-server.conf.d/60-late.conf after',
    )
  })

  it('keep the key and the groups of the line of the operator, and their tokens', async () => {
    const plan = await open().plan(state([tester()]))
    expect(plan.files[0]?.diff).toBe('+user_test_tester = <key> .admin\n')
    expect(plan.notes.join(' ')).toContain("replaces these lines of the proxy's own configuration: user_test_tester.")
    expect(await apply(1, state([tester()]))).toMatchObject({ outcome: 'applied' })
    expect(await written()).toEqual([
      { line: 'user_test_tester', login: 'test:tester', key: 'testing', groups: ['.admin'] },
    ])
    expect(proxy.revoked).toEqual([])
    await proxy.write(lines, '')
    await apply(2, state([tester()]))
    expect((await written())[0]?.key).toBe('testing')
  })

  it('get a password or other rights of Roost, and lose their tokens', async () => {
    await apply(1, state([tester({ password: 'p'.repeat(20), is_superuser: true })]))
    expect(await written()).toMatchObject([{ key: 'p'.repeat(20), groups: ['.reseller_admin', '.admin'] }])
    expect(new Set(proxy.revoked).size).toBe(1)
  })

  it('are kept out where they are disabled, also when they were never deployed, without another reload', async () => {
    const plan = await open().plan(state([], 'user_test_tester'))
    expect(plan.files[0]?.diff).toBe('+user_test_tester = <blocked>\n')
    await apply(1, state([], 'user_test_tester', 'user_not_here'))
    const [blocked, ...more] = await written()
    expect([blocked?.line, blocked?.groups, more]).toEqual(['user_test_tester', [], []])
    expect(blocked?.key).toMatch(/^roost-blocked-[0-9a-f]{40}$/)
    expect(new Set(proxy.revoked).size).toBe(1)
    await apply(2, state([], 'user_test_tester'))
    expect([await written(), proxy.reloads]).toEqual([[blocked], 1])
    await apply(3, state([tester()]))
    expect((await written())[0]?.key).toBe('testing')
    await apply(4, state([], 'user_test_tester'))
    await proxy.write(lines, '')
    await apply(5, state([], 'user_test_tester'))
    expect(await written()).toEqual([])
  })

  it('are refused where neither the proxy nor Roost knows their key', async () => {
    await proxy.write(lines, '')
    await expect(apply(1, state([tester()]))).rejects.toThrow(
      "this proxy has no line user_test_tester, and Roost has no password of the user 'test-tester'",
    )
  })

  it.each(['user_a_b = x\nuser_c', 'user_a_b_c', 'pipeline', 'user_a_b]', 'user64_a%_b'])(
    'are refused by the line %j',
    (line) => {
      const users = [tester({ adopted: { line, groups: [] }, password: 'k'.repeat(20) })]
      expect(() => entriesOf({ users }, { operator: [], own: [] })).toThrow('is not one of tempauth')
    },
  )

  it('are written without their storage URL being lost', () => {
    const adopted = { line: 'user_a_b', groups: ['.admin', 'http://x/v1/AUTH_c'] }
    const users = [tester({ adopted, password: 'k'.repeat(20), is_superuser: true })]
    const text = renderUserFile('filter:tempauth', entriesOf({ users }, { operator: [], own: [] }))
    expect(text).toContain(`user_a_b = ${'k'.repeat(20)} .reseller_admin .admin http://x/v1/AUTH_c\n`)
  })
})
