import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '@roost/control-plane/dist/config.js'
import { createLog } from '@roost/control-plane/dist/lifecycle/log.js'
import { startServer } from '@roost/control-plane/dist/server.js'
import type { RunningServer } from '@roost/control-plane/dist/context/running-server.js'

// By the package, since the benchmarks run the compiled copy of this file.
export const repository = join(
  dirname(createRequire(import.meta.url).resolve('@roost/control-plane/package.json')),
  '../..',
)
export const roostProgram = join(repository, 'apps/control-plane/bin/roost.js')

/** A control plane as a client meets it. */
export interface Reachable {
  /** Such as `https://127.0.0.1:41234`. */
  readonly url: string
  /** PEM of the authority to trust. */
  readonly ca: string
  /** `admin:<key>`; empty where the database had its first operator before. */
  readonly key: string
  readonly dataDir: string
}

export interface ControlPlaneOptions {
  /** A directory that stays; otherwise one is made, and removed by `stop`. */
  readonly dataDir?: string
  /** Further variables. `DATABASE_URL: ''` (the default) is the embedded server in the data directory. */
  readonly env?: Readonly<Record<string, string>>
  /** Further arguments of `roost local serve`. */
  readonly args?: readonly string[]
}

export interface ControlPlaneProcess extends Reachable {
  readonly pid: number
  /** Everything that it wrote so far. */
  output(): string
  /** Ends it as an operator would (SIGTERM) and answers its exit code. */
  stop(): Promise<number | null>
  /** Resolves when it has ended by itself, as at a failpoint. */
  readonly died: Promise<void>
  /** Ends it without warning; the data directory stays for the next one. */
  kill9(): Promise<void>
}

const startDeadlineMs = 150_000

/** Variables of a control plane that disturbs nothing else on this machine; nothing of the caller's own leaks in. */
export function controlPlaneEnv(dataDir: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', HOME = '', TMPDIR = tmpdir() } = process.env
  // As `npm start` and the unit of docs/install.md set it.
  return { PATH, HOME, TMPDIR, MALLOC_ARENA_MAX: '1', ROOST_DATA_DIR: dataDir, ROOST_LISTEN: '127.0.0.1:0', ...more }
}

/** Starts the real program in a process of its own, and waits until it serves. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlaneProcess> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'roost-cp-')))
  const child = spawn(process.execPath, [roostProgram, 'local', 'serve', ...(options.args ?? [])], {
    env: controlPlaneEnv(dataDir, options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
  const died = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await serving(child, () => output)
  const remove = async () => {
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true })
  }
  return {
    ...(await readReachable(dataDir)),
    pid: child.pid as number,
    output: () => output,
    died,
    async stop() {
      const code = await endedBy(child, 'SIGTERM')
      await remove()
      return code
    },
    async kill9() {
      await endedBy(child, 'SIGKILL')
    },
  }
}

async function serving(child: ChildProcess, output: () => string): Promise<void> {
  for (const deadline = Date.now() + startDeadlineMs; Date.now() < deadline; await sleep(20)) {
    if (output().includes('Roost is at ')) return
    if (child.exitCode !== null || child.signalCode !== null) break
  }
  await endedBy(child, 'SIGTERM')
  throw new Error(`The control plane did not start:\n${output()}`)
}

async function endedBy(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  child.kill(signal)
  return ended
}

async function readReachable(dataDir: string): Promise<Reachable> {
  const read = (name: string) => readFile(join(dataDir, name), 'utf8')
  const { url } = JSON.parse(await read('roost.pid')) as { url: string }
  return {
    dataDir,
    url,
    ca: await read('ca.pem').catch(() => ''),
    key: (await read('admin.apikey').catch(() => '')).trim(),
  }
}

export interface InProcessControlPlane extends Reachable {
  readonly server: RunningServer
  stop(): Promise<void>
}

/** The same, in this process: for a suite that reaches inside. `databaseUrl` is that of `createTestDatabase()`. */
export async function startInProcess(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
  logOut: Writable = process.stderr,
): Promise<InProcessControlPlane> {
  const dataDir = await mkdtemp(join(tmpdir(), 'roost-cp-'))
  const config = readConfig(controlPlaneEnv(dataDir, { DATABASE_URL: databaseUrl, ROOST_LOG_LEVEL: 'error', ...env }))
  const server = await startServer(config, createLog({ level: config.logLevel, out: logOut }))
  return {
    ...(await readReachable(dataDir)),
    server,
    async stop() {
      await server.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
