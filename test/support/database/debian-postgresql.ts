import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../programs/free-port.js'

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

/**
 * The PostgreSQL of the package `postgresql`, with a data directory of its own, on a free port of loopback. Needs root.
 * `logDisk` is an empty folder for its write-ahead log.
 */
export async function startDebianPostgresql({
  logDisk,
}: { readonly logDisk?: string } = {}): Promise<DebianPostgresql> {
  const version = readdirSync(versionsDir).toSorted().at(-1) ?? ''
  const programs = join(versionsDir, version, 'bin')
  const directory = await mkdtemp(join(tmpdir(), 'roost-debian-'))
  const account = await postgresAccount()
  await chown(directory, account.uid, account.gid)
  const data = join(directory, 'data')
  const password = join(directory, 'password')
  await writeFile(password, 's3cr3t\n', { mode: 0o644 })
  const command = (name: string, ...args: readonly string[]) =>
    run(join(programs, name), args, { ...account, cwd: '/' })
  if (logDisk !== undefined) await chown(logDisk, account.uid, account.gid)
  const elsewhere = logDisk === undefined ? [] : [`--waldir=${logDisk}`]
  const access = ['-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${password}`]
  await command('initdb', '-D', data, ...elsewhere, ...access, '-E', 'UTF8')

  const port = await freePort()
  const settings = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories= -c fsync=off`
  const log = join(directory, 'log')
  const wait = ['-w', '-t', '180', '-D', data] as const
  const start = async () => void (await command('pg_ctl', ...wait, '-l', log, '-o', settings, 'start'))
  const stop = async () => void (await command('pg_ctl', ...wait, '-m', 'fast', 'stop'))
  await start()
  const adminUrl = `postgresql://postgres:s3cr3t@127.0.0.1:${port}`
  await makeDatabase(`${adminUrl}/postgres`)
  return {
    adminUrl: `${adminUrl}/roost`,
    url: `postgresql://roost:s3cr3t@127.0.0.1:${port}/roost`,
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
