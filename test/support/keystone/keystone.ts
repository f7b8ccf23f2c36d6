import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../programs/free-port.js'
import { runToEnd } from '../programs/processes.js'
import { signIn } from './session.js'
import type { KeystoneSession } from './session.js'
import { makeCertificates } from './certificates.js'

const manage = '/usr/bin/keystone-manage'
const application = '/usr/bin/keystone-wsgi-public'

/** True where this run may start a real Keystone: as root, with `ROOST_TEST_SYSTEM=1` and the Debian packages that `.ci/run` installs. */
export const isKeystoneEnabled =
  process.env.ROOST_TEST_SYSTEM === '1' && process.getuid?.() === 0 && existsSync(manage) && existsSync(application)

export interface KeystoneOptions {
  /** Serves HTTPS with a certificate of a private CA, whose PEM is `Keystone.ca`. */
  readonly isPrivateTls?: boolean
  /** Passwords that it accepts, as a regular expression. Default: all. */
  readonly passwordRegex?: string
}

/** See README.md. */
export interface Keystone {
  /** The URL of its API version 3, such as `http://127.0.0.1:15000/v3`. The port stays the same after `stop` and `start`. */
  readonly url: string
  readonly port: number
  /** The PEM of its private CA; undefined where it serves plain HTTP. */
  readonly ca: string | undefined
  /** The login of its first administrator: user `admin` of the domain `default` with the role `admin` on the project `admin`. */
  readonly adminPassword: string
  /** Signs in as the administrator. */
  admin(): Promise<KeystoneSession>
  start(): Promise<void>
  /** Stops it as its service would; data is kept. */
  stop(): Promise<void>
  /** Stops it and removes its folder. */
  remove(): Promise<void>
}

/** Starts the Keystone of Debian's package with a folder of its own, on a free port of the loopback. Takes 10 to 30 s. Needs root. */
export async function startKeystone(options: KeystoneOptions = {}): Promise<Keystone> {
  const folder = await mkdtemp(join(tmpdir(), 'roost-keystone-'))
  const port = await freePort()
  const origin = `${options.isPrivateTls ? 'https' : 'http'}://127.0.0.1:${port}`
  const url = `${origin}/v3`
  const certificates = options.isPrivateTls ? await makeCertificates(folder) : undefined
  const ca = certificates?.ca
  const adminPassword = 'admin-password-of-the-lab'
  await initialize(folder, url, adminPassword, options)
  const socket = certificates
    ? ['--https-socket', `127.0.0.1:${port},${certificates.certificate},${certificates.key}`]
    : ['--http-socket', `127.0.0.1:${port}`]
  const admin = () => signIn(url, { name: 'admin', password: adminPassword, project: 'admin' }, ca)
  let running: Running | undefined
  const start = async () => {
    running = launch(folder, socket)
    await answering(running, admin)
  }
  const stop = async () => {
    running?.child.kill('SIGTERM')
    await running?.ended
    running = undefined
  }
  const remove = async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await start()
  } catch (error) {
    await remove()
    throw error
  }
  return { url, port, ca, adminPassword, admin, start, stop, remove }
}

/** Creates database, keys and the first administrator, as docs.openstack.org describes the installation. */
async function initialize(
  folder: string,
  url: string,
  adminPassword: string,
  { passwordRegex }: KeystoneOptions,
): Promise<void> {
  const lines = [
    '[DEFAULT]',
    'use_stderr = true',
    '[database]',
    `connection = sqlite:///${folder}/keystone.db`,
    '[token]',
    'provider = fernet',
    '[fernet_tokens]',
    `key_repository = ${folder}/fernet-keys`,
    '[credential]',
    `key_repository = ${folder}/credential-keys`,
    '[identity]',
    'password_hash_rounds = 4',
    ...(passwordRegex === undefined ? [] : ['[security_compliance]', `password_regex = ${passwordRegex}`]),
  ]
  await writeFile(configuration(folder), `${lines.join('\n')}\n`)
  for (const keys of ['fernet-keys', 'credential-keys']) await mkdir(join(folder, keys), { mode: 0o700 })
  await runToEnd('chown', ['-R', 'keystone:keystone', folder])
  const endpoints = ['admin', 'internal', 'public'].flatMap((kind) => [`--bootstrap-${kind}-url`, `${url}/`])
  const bootstrap = ['--bootstrap-password', adminPassword, '--bootstrap-region-id', 'RegionOne', ...endpoints]
  await runManage(folder, 'db_sync')
  // A request of Keystone reads by one connection while it writes by another, which SQLite's default refuses as locked.
  await runToEnd('setpriv', [...asKeystone, 'sqlite3', join(folder, 'keystone.db'), 'PRAGMA journal_mode=WAL'])
  const account = ['--keystone-user', 'keystone', '--keystone-group', 'keystone']
  await runManage(folder, 'fernet_setup', ...account)
  await runManage(folder, 'credential_setup', ...account)
  await runManage(folder, 'bootstrap', ...bootstrap)
}

async function runManage(folder: string, ...args: readonly string[]): Promise<void> {
  const command = [manage, '--config-file', configuration(folder), ...args]
  const { code, stderr } = await runToEnd('setpriv', [...asKeystone, ...command])
  if (code !== 0) throw new Error(`keystone-manage ${args[0]} failed: ${stderr}`)
}

const asKeystone = ['--reuid=keystone', '--regid=keystone', '--clear-groups'] as const

const configuration = (folder: string) => join(folder, 'keystone.conf')

interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<void>
  output(): string
}

/** It ends with the test's process, however that ends. */
function launch(folder: string, socket: readonly string[]): Running {
  const server = ['/usr/bin/uwsgi_python3', ...socket, '--wsgi-file', application, '--master', '--no-orphans']
  // One thread: connections to SQLite belong to the thread that opened them.
  const limits = ['--processes', '1', '--die-on-term', '--lazy-apps', '--buffer-size', '65535']
  const env = { PATH: '/usr/bin:/bin', OS_KEYSTONE_CONFIG_FILES: configuration(folder) }
  const child = spawn('setpriv', [...asKeystone, '--pdeathsig', 'SIGTERM', ...server, ...limits], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
    env,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return { child, ended, output: () => output }
}

const startTimeoutMs = 120_000

async function answering(running: Running, admin: () => Promise<unknown>): Promise<void> {
  for (const deadline = Date.now() + startTimeoutMs; ; await sleep(200)) {
    try {
      await admin()
      return
    } catch (error) {
      if (running.child.exitCode !== null || Date.now() > deadline)
        throw new Error(`Keystone did not start: ${(error as Error).message}\n${running.output()}`, { cause: error })
    }
  }
}
