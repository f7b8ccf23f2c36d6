import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunCommand } from '../../../machine/run-command.js'
import { parseUserFile } from '../lines/render.js'

/** A machine with a scripted proxy: its processes are files, and its logins use the users that it read last. */
export class ScriptedProxy {
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
export function quickClock(proxy: ScriptedProxy) {
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
