import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DesiredUser } from '@roost/api-types/agent'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import type { RunCommand } from '../../machine/run-command.js'
import { createUserDbApplier } from './applier.js'
import { parseUserFile } from './render.js'

/** A machine with a scripted proxy: its processes are files, and its logins use the users that it read last. */
class ScriptedProxy {
  root = ''
  reloads = 0
  /** The output of the proxy's own program for the next file. */
  verdict = 'OK\n'
  /** It is reading its configuration again. */
  reloading: Promise<void> | null = null
  /** Keeps its old users, like a proxy whose workers are not permitted to read the file. */
  isDeaf = false
  readonly revoked: string[] = []
  readonly systemctl: (readonly string[])[] = []
  readonly #servers: { close(): void }[] = []
  #users = new Map<string, string>()
  #worker = 100

  async start(): Promise<void> {
    this.#worker = 100
    this.root = await mkdtemp(join(tmpdir(), 'roost-userdb-'))
    const port = await this.#listen(
      createServer(({ headers }, response) => {
        const isAccepted = this.#users.get(String(headers['x-auth-user'])) === headers['x-auth-key']
        response.writeHead(isAccepted ? 200 : 401).end()
      }),
    )
    const cache = await this.#listen(
      createTcpServer((socket) => void socket.on('data', (data) => this.#memcached(socket, data))),
    )
    await this.write(
      'etc/swift/proxy-server.conf.d/10-base.conf',
      `[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = ${port}\n[pipeline:main]\npipeline = cache tempauth proxy-server
[filter:cache]\nuse = egg:swift#memcache\nmemcache_servers = 127.0.0.1:${cache}
[filter:tempauth]\nuse = egg:swift#tempauth\nuser_admin_admin = admin .admin\n`,
    )
    await this.#process(23, 1, 0x4203)
    await this.#process(this.#worker, 23, 0x203)
  }

  async #listen(server: Server): Promise<number> {
    this.#servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  #memcached(socket: NodeJS.WritableStream, data: Buffer): void {
    for (const line of String(data).trim().split('\r\n')) {
      const [verb = '', key = ''] = line.split(' ')
      if (verb === 'delete') this.revoked.push(key)
      socket.write({ lru_crawler: 'END\r\n', get: 'END\r\n', delete: 'DELETED\r\n' }[verb] ?? 'ERROR\r\n')
    }
  }

  async #process(pid: number, parent: number, handled: number): Promise<void> {
    const folder = `proc/${pid}`
    await this.write(`${folder}/comm`, 'swift-proxy-ser\n')
    const line = ['/usr/bin/python3', '/usr/bin/swift-proxy-server', '/etc/swift/proxy-server.conf.d', '']
    await this.write(`${folder}/cmdline`, line.join('\0'))
    const gid = process.getgid?.()
    const status = `State:\tS (sleeping)\nPPid:\t${parent}\nUid:\t0\t0\nGid:\t${gid}\t${gid}\nGroups:\t \nSigCgt:\t${handled.toString(16).padStart(16, '0')}\n`
    await this.write(`${folder}/status`, status)
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(join(this.root, path, '..'), { recursive: true })
    await writeFile(join(this.root, path), text)
  }

  readonly read = (): Promise<string | null> =>
    readFile(join(this.root, 'etc/swift/proxy-server.conf.d/50-roost-users.conf'), 'utf8').catch(() => null)

  /** Reacts to SIGUSR1. */
  readonly signal = (pid: number, name: string): void => {
    if (pid === 23 && name === 'SIGUSR1') this.reloads++
    this.reloading = this.#reload().finally(() => (this.reloading = null))
  }

  async #reload(): Promise<void> {
    const text = (await this.read()) ?? ''
    if (!this.isDeaf) this.#users = new Map(parseUserFile(text).map(({ login, key }) => [login, key]))
    await rm(join(this.root, `proc/${this.#worker}`), { recursive: true })
    await this.#process(++this.#worker, 23, 0x203)
  }

  readonly run: RunCommand = async (file, args) => {
    if (file !== 'python3') {
      this.systemctl.push(args)
      this.signal(23, 'SIGUSR1')
    }
    return { outcome: 'exited', exitCode: 0, stdout: this.verdict, stderr: '', ended: Promise.resolve() }
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) server.close()
    await rm(this.root, { recursive: true })
  }
}

/** Deadlines come after a few iterations of the event loop, and none while the proxy works. */
function quickClock(proxy: ScriptedProxy) {
  let now = 0
  return {
    now: () => now,
    monotonic: () => now,
    after(ms: number, callback: () => void) {
      if (proxy.reloading === null) now += 2 * ms
      const timer = setTimeout(callback, 1)
      return () => clearTimeout(timer)
    },
  }
}

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

  it('are deployed also while a memcached server is unavailable, with a note on tokens', async () => {
    const applier = open()
    await applier.apply(users(['bob', key('b')]), 1, progress)
    await proxy.write('etc/swift/proxy-server.conf.d/20.conf', '[filter:cache]\nmemcache_servers = 127.0.0.1:1\n')
    const outcome = await applier.apply(users(), 2, progress)
    expect(outcome).toMatchObject({ outcome: 'applied', in_force: 2 })
    expect(outcome.message).toContain(
      'Tokens of bob:bob on the memcached server 127.0.0.1:1 may remain valid until they expire: connect ECONNREFUSED',
    )
    expect(proxy.reloads).toBe(2)
  })

  it('are reloaded by systemd when the proxy is its unit', async () => {
    await proxy.write('run/systemd/system/here', '')
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
    ['has no workers', ['proc/100'], 'not ready for a reload, and SIGUSR1 would end it'],
  ])('are not changed when the proxy %s', async (_, gone, message) => {
    for (const path of gone) await rm(join(proxy.root, path), { recursive: true })
    await expect(open().apply(users(['bob', key('b')]), 1, progress)).rejects.toThrow(message)
    expect([proxy.reloads, await proxy.read()]).toEqual([0, null])
  })

  it('are not changed when the proxy reads another file, and the error has the remedy', async () => {
    await proxy.write('proc/23/cmdline', 'python3\0/usr/bin/swift-proxy-server\0/etc/swift/proxy-server.conf\0')
    await expect(open().apply(users(['bob', key('b')]), 1, progress)).rejects.toThrow(
      'reads /etc/swift/proxy-server.conf, not the folder /etc/swift/proxy-server.conf.d. Point the proxy to that folder, see docs/agent.md',
    )
  })

  it('wait for another reload in progress: a second signal would end the proxy', async () => {
    await proxy.write('proc/101/comm', 'swift-proxy-ser\n')
    await proxy.write('proc/101/cmdline', 'python3\0/usr/bin/swift-proxy-server\0/etc/swift/proxy-server.conf.d\0')
    const handled = (0x4203).toString(16)
    await proxy.write('proc/101/status', `State:\tS\nPPid:\t23\nUid:\t0\t0\nGid:\t0\t0\nSigCgt:\t${handled}\n`)
    const applying = open().apply(users(['bob', key('b')]), 1, progress)
    await expect(applying).rejects.toThrow('not ready for a reload')
    expect(proxy.reloads).toBe(0)
    await rm(join(proxy.root, 'proc/101'), { recursive: true })
    expect(await open().apply(users(['bob', key('b')]), 1, progress)).toMatchObject({ outcome: 'applied' })
  })
})
