import { createHash } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DesiredUser } from '@roost/api-types/agent'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { createUserDbApplier } from './applier.js'
import { quickClock, ScriptedProxy } from './testing/scripted-proxy.js'

describe('the users of a proxy', () => {
  const proxy = new ScriptedProxy()
  beforeEach(async () => {
    Object.assign(proxy, { reloads: 0, verdict: 'OK\n', isDeaf: false })
    proxy.revoked.length = 0
    await proxy.start()
  })
  afterEach(() => proxy.stop())

  const open = () => {
    const machine = openMachine(proxy.root)
    const { run, signal } = proxy
    const swiftDirectory = '/etc/swift'
    const dir = join(proxy.root, 'state')
    return createUserDbApplier({
      machine,
      kernel: machine,
      run,
      signal,
      swiftDirectory,
      dir,
      node: 'a-uuid',
      clock: quickClock(proxy),
      reloadTimeoutMs: 60_000,
    })
  }
  const users = (...all: readonly (readonly [string, string])[]) => ({
    kind: 'user_db' as const,
    users: all.map(([user, password]): DesiredUser => ({ user, password, is_superuser: false })),
  })
  const key = (letter: string) => letter.repeat(20)
  const progress = () => {}
  const leftovers = async () => [
    ...(await readdir(join(proxy.root, 'etc/swift/proxy-server.conf.d'))),
    ...(await readdir(join(proxy.root, 'state'))),
  ]

  it('are written and reloaded once, also when the same state comes again', async () => {
    const applier = open()
    for (let generation = 1; generation <= 30; generation++) {
      const outcome = await applier.apply(users(['bob', key('b')]), generation, progress)
      expect(outcome).toMatchObject({ outcome: 'applied', in_force: generation, message: '' })
    }
    expect(proxy.reloads).toBe(1)
    expect(await applier.drift()).toEqual([])
    expect(await leftovers()).toEqual(['10-base.conf', '50-roost-users.conf', 'in-force.json'])
  })

  it('are not changed or reloaded when the proxy would not start with the new ones', async () => {
    const applier = open()
    await applier.apply(users(['bob', key('b')]), 1, progress)
    const before = await proxy.read()
    proxy.verdict = `ValueError: no ${key('c')} here\n`
    const attempt = applier.apply(users(['carl', key('c')]), 2, progress)
    await expect(attempt).rejects.toThrow('was not changed: ValueError: no <key> here')
    expect(await proxy.read()).toBe(before)
    expect(proxy.reloads).toBe(1)
    expect(await leftovers()).toEqual(['10-base.conf', '50-roost-users.conf', 'in-force.json'])
  })

  it('are restored, with a second reload, when a login has another result than expected', async () => {
    const applier = open()
    await applier.apply(users(['bob', key('b')]), 1, progress)
    const before = await proxy.read()
    proxy.isDeaf = true
    const outcome = await applier.apply(users(['bob', key('b')], ['carl', key('c')]), 2, progress)
    expect(outcome).toMatchObject({ outcome: 'rolled_back', in_force: 1 })
    expect(outcome.message).toBe(
      "After the reload 'carl:carl' could not log in: the proxy answered 401. The previous users are restored.",
    )
    expect(await proxy.read()).toBe(before)
    expect(proxy.reloads).toBe(3)
    expect(await leftovers()).not.toContain('.50-roost-users.conf.before')
  })

  it('lose their tokens when they are removed, also those that only a killed deployment knew', async () => {
    await open().apply(users(['bob', key('b')], ['carl', key('c')]), 1, progress)
    expect(proxy.revoked).toEqual([])
    // Killed after the rename: the new file exists, with the previous one beside it.
    const before = await proxy.read()
    await proxy.write('etc/swift/proxy-server.conf.d/.50-roost-users.conf.before', before ?? '')
    await proxy.write('etc/swift/proxy-server.conf.d/50-roost-users.conf', (before ?? '').replace(/user_carl.*\n/, ''))
    await rm(join(proxy.root, 'state/in-force.json'))
    expect(await open().apply(users(['bob', key('b')]), 2, progress)).toMatchObject({ outcome: 'applied' })
    expect(proxy.reloads).toBe(2)
    const carl = createHash('md5').update('AUTH_/user/carl:carl').digest('hex')
    expect(new Set(proxy.revoked)).toEqual(new Set([carl]))
    expect(await leftovers()).not.toContain('.50-roost-users.conf.before')
  })

  it('are deployed while a memcached server is unavailable, and lose their tokens on it when it returns', async () => {
    const applier = open()
    await applier.apply(users(['bob', key('b')]), 1, progress)
    const cache = 'etc/swift/proxy-server.conf.d/20.conf'
    await proxy.write(cache, '[filter:cache]\nmemcache_servers = 127.0.0.1:1\n')
    const notReached = { outcome: 'failed', in_force: 2, partly: true }
    const outcome = await applier.apply(users(), 2, progress)
    expect(outcome).toMatchObject(notReached)
    expect(outcome.message).toContain('Not reached: memcached 127.0.0.1:1 (connect ECONNREFUSED')
    expect(outcome.message).toContain('Tokens of bob:bob may remain valid there')
    expect(proxy.reloads).toBe(2)

    expect(await open().complete?.()).toMatchObject(notReached)
    await rm(join(proxy.root, cache))
    expect(await open().complete?.()).toMatchObject({
      outcome: 'applied',
      in_force: 2,
      message: 'The tokens of bob:bob are revoked everywhere.',
    })
    const bob = createHash('md5').update('AUTH_/user/bob:bob').digest('hex')
    expect(proxy.revoked).toEqual([bob])
    expect([await open().complete?.(), proxy.reloads]).toEqual([null, 2])
  })

  it('keep a revocation that is pending over the next deployment', async () => {
    const applier = open()
    await applier.apply(users(['bob', key('b')]), 1, progress)
    const cache = 'etc/swift/proxy-server.conf.d/20.conf'
    await proxy.write(cache, '[filter:cache]\nmemcache_servers = 127.0.0.1:1\n')
    await applier.apply(users(), 2, progress)
    expect(await applier.apply(users(['carl', key('c')]), 3, progress)).toMatchObject({
      outcome: 'failed',
      in_force: 3,
    })
    await rm(join(proxy.root, cache))
    expect(await applier.apply(users(['carl', key('c')]), 4, progress)).toMatchObject({
      outcome: 'applied',
      in_force: 4,
    })
    const bob = createHash('md5').update('AUTH_/user/bob:bob').digest('hex')
    expect(new Set(proxy.revoked)).toEqual(new Set([bob]))
  })

  it('are reloaded by systemd when the proxy is its unit, also where the folder of systemd is empty', async () => {
    await mkdir(join(proxy.root, 'run/systemd/system'), { recursive: true })
    await proxy.write('proc/23/cgroup', '0::/system.slice/swift-proxy.service\n')
    expect(await open().apply(users(['bob', key('b')]), 1, progress)).toMatchObject({ outcome: 'applied' })
    expect(proxy.systemctl).toEqual([['kill', '--kill-who=main', '--signal=SIGUSR1', 'swift-proxy.service']])
    expect(proxy.reloads).toBe(1)
  })

  it('are planned without keys, and without a change for the same users', async () => {
    const applier = open()
    const plan = await applier.plan(users(['bob', key('b')]))
    expect(plan).toMatchObject({
      files: [{ change: 'create', diff: '+user_bob_bob = <key> .admin\n' }],
      daemons: [{ action: 'reload' }],
      notes: [expect.stringContaining('net.ipv4.tcp_migrate_req')],
    })
    expect(await proxy.read()).toBeNull()
    await applier.apply(users(['bob', key('b')]), 1, progress)
    expect(await applier.plan(users(['bob', key('b')]))).toMatchObject({ files: [], daemons: [{ action: 'none' }] })
    expect((await applier.plan(users())).notes).toContain('The tokens of bob:bob will be revoked.')
  })

  it('of the operator are never overwritten', async () => {
    const attempt = open().apply(users(['Admin', key('a')]), 1, progress)
    await expect(attempt).rejects.toThrow("already has these users: 'Admin:Admin' (user_admin_admin)")
    expect(await proxy.read()).toBeNull()
  })

  it.each([
    ['does not run', ['proc/23', 'proc/100'], 'No proxy server runs on this node. Start it'],
    ['still loads', ['proc/100'], 'is still loading after 60 seconds, and SIGUSR1 would end it'],
  ])('are not changed when the proxy %s', async (_, gone, message) => {
    for (const path of gone) await rm(join(proxy.root, path), { recursive: true })
    await expect(open().apply(users(['bob', key('b')]), 1, progress)).rejects.toThrow(message)
    expect([proxy.reloads, await proxy.read()]).toEqual([0, null])
  })

  it('are not changed when the proxy is configured without workers', async () => {
    await proxy.write('etc/swift/proxy-server.conf.d/20.conf', '[DEFAULT]\nworkers = 0\n')
    await rm(join(proxy.root, 'proc/100'), { recursive: true })
    const message = 'The proxy server (process 23) has no workers, and SIGUSR1 would end it.'
    await expect(open().apply(users(['bob', key('b')]), 1, progress)).rejects.toThrow(message)
    expect([proxy.reloads, await proxy.read()]).toEqual([0, null])
  })

  it('are not changed when the proxy reads another file, and the error has the remedy', async () => {
    await proxy.write('proc/23/cmdline', 'python3\0/usr/bin/swift-proxy-server\0/etc/swift/proxy-server.conf\0')
    await expect(open().apply(users(['bob', key('b')]), 1, progress)).rejects.toThrow(
      'reads /etc/swift/proxy-server.conf, not the folder /etc/swift/proxy-server.conf.d. Point the proxy to that folder, see docs/proxies.md',
    )
  })

  it('wait for another reload in progress: a second signal would end the proxy', async () => {
    await proxy.write('proc/101/comm', 'swift-proxy-ser\n')
    await proxy.write('proc/101/cmdline', 'python3\0/usr/bin/swift-proxy-server\0/etc/swift/proxy-server.conf.d\0')
    const handled = (0x4203).toString(16)
    await proxy.write('proc/101/status', `State:\tS\nPPid:\t23\nUid:\t0\t0\nGid:\t0\t0\nSigCgt:\t${handled}\n`)
    const applying = open().apply(users(['bob', key('b')]), 1, progress)
    await expect(applying).rejects.toThrow('still loading')
    expect(proxy.reloads).toBe(0)
    await rm(join(proxy.root, 'proc/101'), { recursive: true })
    expect(await open().apply(users(['bob', key('b')]), 1, progress)).toMatchObject({ outcome: 'applied' })
  })
})
