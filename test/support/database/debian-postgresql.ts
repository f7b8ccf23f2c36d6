import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { appendFile, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../programs/free-port.js'
import { runToEnd } from '../programs/processes.js'
import type { Machine } from '../swift/machine.js'

const run = promisify(execFile)
const versionsDir = '/usr/lib/postgresql'

export interface DebianPostgresql {
  /** Of a database that its role `roost` owns, by TCP with a password. */
  readonly url: string
  /** Of the same database as its superuser. */
  readonly adminUrl: string
  readonly version: string
  start(): Promise<void>
  /** As at a restart of the service: connections are broken. */
  stop(): Promise<void>
  remove(): Promise<void>
}

export interface DebianPostgresqlOptions {
  /** An empty folder for its write-ahead log. */
  readonly logDisk?: string
  /** Where it runs, for clients in there by an address of its network. */
  readonly machine?: Machine
  readonly address?: string
}

/** The PostgreSQL of the package `postgresql`, with a data directory of its own, on a free port of loopback. Needs root. */
export async function startDebianPostgresql(options: DebianPostgresqlOptions = {}): Promise<DebianPostgresql> {
  const { logDisk, machine, address = '127.0.0.1' } = options
  const version = readdirSync(versionsDir).toSorted().at(-1) ?? ''
  const programs = join(versionsDir, version, 'bin')
  const directory = await mkdtemp(join(tmpdir(), 'roost-debian-'))
  const account = await postgresAccount()
  await chown(directory, account.uid, account.gid)
  const data = join(directory, 'data')
  const password = join(directory, 'password')
  await writeFile(password, 's3cr3t\n', { mode: 0o644 })
  const asAccount = ['--reuid', String(account.uid), '--regid', String(account.gid), '--clear-groups']
  const runIn: typeof runToEnd = (...call) => (machine === undefined ? runToEnd(...call) : machine.run(...call))
  const command = async (name: string, ...args: readonly string[]) => {
    const all = [...asAccount, join(programs, name), ...args]
    const { code, stderr } = await runIn('setpriv', all, { cwd: '/', timeout: 200_000 })
    if (code !== 0) throw new Error(`${name}: ${stderr}`)
  }
  if (logDisk !== undefined) await chown(logDisk, account.uid, account.gid)
  const elsewhere = logDisk === undefined ? [] : [`--waldir=${logDisk}`]
  const access = ['-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${password}`]
  await command('initdb', '-D', data, ...elsewhere, ...access, '-E', 'UTF8')

  const port = await freePort()
  const settings = `-c listen_addresses=${address} -c port=${port} -c unix_socket_directories= -c fsync=off`
  const log = join(directory, 'log')
  const wait = ['-w', '-t', '180', '-D', data] as const
  const start = () => command('pg_ctl', ...wait, '-l', log, '-o', settings, 'start')
  const stop = () => command('pg_ctl', ...wait, '-m', 'fast', 'stop')
  await appendFile(join(data, 'pg_hba.conf'), 'host all all samenet scram-sha-256\n')
  await start()
  const adminPort = machine === undefined ? port : await machine.forward(address, port)
  const adminUrl = `postgresql://postgres:s3cr3t@127.0.0.1:${adminPort}`
  await makeDatabase(`${adminUrl}/postgres`)
  return {
    adminUrl: `${adminUrl}/roost`,
    url: `postgresql://roost:s3cr3t@${address}:${port}/roost`,
    version,
    start,
    stop,
    async remove() {
      await stop().catch(() => {}) // it may be stopped already
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** As an administrator would: a role that may do nothing but own its database. */
async function makeDatabase(adminUrl: string): Promise<void> {
  const client = new pg.Client(adminUrl)
  await client.connect()
  await client.query("create role roost login password 's3cr3t'")
  await client.query('create database roost owner roost')
  await client.end()
}

async function postgresAccount(): Promise<{ readonly uid: number; readonly gid: number }> {
  const [uid, gid] = await Promise.all(['-u', '-g'].map(async (flag) => (await run('id', [flag, 'postgres'])).stdout))
  return { uid: Number(uid), gid: Number(gid) }
}
