import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { open, readFile, rename, rm, stat } from 'node:fs/promises'
import { platform } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from './server-account.js'
import { serverEnvironment } from './server-files.js'

export interface Postmaster {
  /** Why it ended; undefined while it runs. */
  exit(): string | undefined
}

export interface PostmasterOptions {
  readonly home: string
  readonly cluster: string
  readonly socketDir: string
  readonly logPath: string
  readonly account: Account | undefined
  readonly settings: readonly string[]
}

const largestLogBytes = 10 * 1024 * 1024

/** Starts the server detached and returns at once: it may not accept connections yet, or may exit. */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  const { home, cluster, socketDir, logPath, account, settings } = options
  await dropDeadLocks(cluster, socketDir)
  await rotate(logPath)
  // To a file: a pipe would break when we die, and the server is to live on until somebody adopts it.
  const logFile = await open(logPath, 'a', 0o600)
  let ended: string | undefined
  // detached: a Ctrl-C in the terminal must reach us, not the database under us.
  const child = spawn(
    join(home, 'bin/postgres'),
    ['-D', cluster, '-k', socketDir, ...settings.flatMap((setting) => ['-c', setting])],
    { ...account, ...serverEnvironment, detached: true, stdio: ['ignore', logFile.fd, logFile.fd] },
  )
  child.on('error', (error) => (ended = error.message))
  child.on('exit', (code, signal) => (ended = signal ?? `exit code ${code}`))
  child.unref()
  await logFile.close()
  return { exit: () => ended }
}

/** One old log is kept beside the present one. */
async function rotate(logPath: string): Promise<void> {
  const { size } = await stat(logPath).catch(() => ({ size: 0 }))
  if (size > largestLogBytes) await rename(logPath, `${logPath}.1`)
}

/** Stops the postmaster of a cluster, whoever started it: politely first. Does nothing when none runs. */
export async function stopPostmaster(cluster: string, patienceMs: number): Promise<void> {
  const pid = await postmasterPid(cluster)
  if (pid === undefined || !isPostmasterOf(pid, cluster)) return
  // SIGINT rolls back and flushes; SIGQUIT leaves a recovery to do; SIGKILL is for one that is stopped or hangs.
  for (const [signal, waitMs] of [
    ['SIGINT', patienceMs],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ] as const) {
    signalPid(pid, signal)
    for (const deadline = Date.now() + waitMs; Date.now() < deadline; await sleep(20)) if (!isAlive(pid)) return
  }
}

async function postmasterPid(cluster: string): Promise<number | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  return Number(text.split('\n')[0]) || undefined
}

/** A pid may belong to another program after a reboot: its command line must name the cluster. */
function isPostmasterOf(pid: number, cluster: string): boolean {
  if (!isAlive(pid)) return false
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(cluster)
  } catch {
    return platform() !== 'linux'
  }
}

function signalPid(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** A zombie counts as dead: under a PID 1 that reaps late or never, a killed process keeps its pid. */
export function isAlive(pid: number): boolean {
  if (!signalPid(pid, 0)) return false
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return platform() !== 'linux'
  }
}

/** PostgreSQL takes a zombie, or another program with the old pid, for a running postmaster and refuses to start. */
async function dropDeadLocks(cluster: string, socketDir: string): Promise<void> {
  const pid = await postmasterPid(cluster)
  if (pid === undefined || isPostmasterOf(pid, cluster)) return
  await rm(join(cluster, 'postmaster.pid'), { force: true })
  await rm(join(socketDir, '.s.PGSQL.5432.lock'), { force: true })
}
