import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { waitTimeoutMs } from '../clock/wait-until.js'
import { freePort } from '../programs/free-port.js'

export interface Pgbouncer {
  /** The database behind it, as a URL. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts the PgBouncer of the package `pgbouncer` before the database of a URL. Needs root. */
export async function startPgbouncer(databaseUrl: string, poolMode: 'session' | 'transaction'): Promise<Pgbouncer> {
  const { hostname, port, pathname, username, password } = new URL(databaseUrl)
  const directory = await mkdtemp(join(tmpdir(), 'roost-pgbouncer-'))
  await chmod(directory, 0o755) // it runs as another account
  const listenPort = await freePort()
  const path = join(directory, 'pgbouncer.ini')
  const lines = [
    '[databases]',
    `roost = host=${hostname} port=${port} dbname=${pathname.slice(1)} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${poolMode}`,
    'ignore_startup_parameters = extra_float_digits',
  ]
  await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o644 })
  const child = spawn('/usr/sbin/pgbouncer', ['-u', 'postgres', path], { stdio: ['ignore', 'ignore', 'pipe'] })
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let output = ''
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  const url = `postgresql://${username}@127.0.0.1:${listenPort}/roost`
  await Promise.race([answers(url), closed.then(() => Promise.reject(new Error(`PgBouncer ended:\n${output}`)))])
  return {
    url,
    async stop() {
      child.kill('SIGINT')
      await closed
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<void> {
  for (const deadline = Date.now() + waitTimeoutMs; ; await sleep(50)) {
    const client = new pg.Client(url)
    try {
      await client.connect()
      return
    } catch (error) {
      if (Date.now() > deadline) throw error
    } finally {
      await client.end().catch(() => {})
    }
  }
}
