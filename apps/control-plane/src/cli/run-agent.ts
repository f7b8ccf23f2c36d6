import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stoppable } from '@roost/runtime'
import type { Log } from '../lifecycle/log.js'

export interface AgentOptions {
  /** The agent's program, a file for Node. */
  readonly program: string
  /** The directory of the agent's identity and state. */
  readonly dataDir: string
  /** Our URL, which another start may change. */
  readonly serverUrl: string
  /** Returns the flags of `enroll`, with a new token; called when the agent has no identity yet. */
  readonly enrollment: () => Promise<readonly string[]>
  readonly log: Log
}

/** The exit codes of the agent's commands, as in its help. */
const agentExit = { ok: 'exit code 0', removed: 'exit code 3', notEnrolled: 'exit code 4' } as const
const shortestPauseMs = 1_000
const longestPauseMs = 30_000
const stableMs = 60_000
const stopTimeoutMs = 5_000

/** Keeps an agent for this machine running: enrolls it first, and restarts it when it ends. */
export function superviseAgent(options: AgentOptions): Stoppable {
  const stopping = new AbortController()
  const running = supervise(options, stopping.signal)
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function supervise(options: AgentOptions, stopping: AbortSignal): Promise<void> {
  const log = options.log.child({ part: 'agent' })
  let pauseMs = shortestPauseMs
  while (!stopping.aborted) {
    const began = performance.now()
    const outcome = await runOnce(options, log, stopping).catch((error: Error) => error.message)
    if (stopping.aborted) return
    if (outcome === 'removed') {
      const remedy = `remove ${removedPath(options.dataDir)} and restart Roost to add it again`
      log.warn({ remedy }, 'the node of this machine was removed by an operator, not starting its agent')
      return
    }
    if (outcome === 'enrolled') continue
    if (performance.now() - began > stableMs) pauseMs = shortestPauseMs
    log.warn({ outcome, pause_seconds: pauseMs / 1000 }, 'the agent ended, restarting it')
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {})
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
}

/** Runs the agent until it ends; if it has no identity yet, enrolls it instead. */
async function runOnce(options: AgentOptions, log: Log, stopping: AbortSignal): Promise<string> {
  await prepare(options.dataDir)
  const { exit, message } = await runAgent(options, ['run', '--server', options.serverUrl], log, stopping)
  if (exit === agentExit.removed) return 'removed'
  if (exit !== agentExit.notEnrolled) return `${exit}: ${message}`
  // A restart or a crash must not undo the decision of an operator.
  if (existsSync(removedPath(options.dataDir))) return 'removed'
  const flags = ['enroll', ...(await options.enrollment())]
  if ((await runAgent(options, flags, log, stopping)).exit === agentExit.ok) return 'enrolled'
  // Its data directory was lost, but its hardware is a known node: it continues as that node.
  const again = await runAgent(options, [...flags, '--take-place'], log, stopping)
  return again.exit === agentExit.ok ? 'enrolled' : `cannot enroll: ${again.message}`
}

/** Returns the path to which an agent moves the identity of a removed node. */
function removedPath(dataDir: string): string {
  return join(dataDir, 'identity.removed.json')
}

/** Writes a first configuration: without Swift, each local filesystem counts as a device, so that a new user sees capacity. */
async function prepare(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, 'config.json')
  if (!existsSync(path)) await writeFile(path, `${JSON.stringify({ devices: 'local-filesystems' }, null, 2)}\n`)
}

/** Runs one command of the agent until it ends; returns how it ended and its last message. */
async function runAgent(
  { program, dataDir }: AgentOptions,
  args: readonly string[],
  log: Log,
  stopping: AbortSignal,
): Promise<{ readonly exit: string; readonly message: string }> {
  if (stopping.aborted) return { exit: 'stopped', message: '' }
  // When this process ends, however it does, the channel closes and the agent ends, too.
  const child = spawn(process.execPath, [program, '--data-dir', dataDir, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const lastMessage = relay(child, log)
  const stop = () => endChild(child)
  stopping.addEventListener('abort', stop, { once: true })
  try {
    return { exit: await ended(child), message: lastMessage() }
  } finally {
    stopping.removeEventListener('abort', stop)
  }
}

function ended(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

function endChild(child: ChildProcess): void {
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  child.once('exit', () => clearTimeout(timer))
}

const levels: Readonly<Record<number, 'debug' | 'warn' | 'error'>> = { 40: 'warn', 50: 'error' }

/**
 * Copies the agent's log to ours: warnings and errors at their level, everything else as debug. Returns a function that
 * returns its last plain lines, which contain the reason of a failure.
 */
function relay(child: ChildProcess, log: Log): () => string {
  const plain: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      const entry = parseLine(line)
      if (entry === undefined) plain.push(line)
      log[levels[entry?.level ?? 0] ?? 'debug'](entry?.fields ?? {}, entry?.msg ?? line)
    })
  }
  return () => plain.slice(-2).join(' ')
}

function parseLine(line: string): { level: number; msg: string; fields: Record<string, unknown> } | undefined {
  try {
    const { level, msg, time: _time, name: _name, ...fields } = JSON.parse(line) as Record<string, unknown>
    return { level: Number(level), msg: String(msg), fields }
  } catch {
    return undefined
  }
}
