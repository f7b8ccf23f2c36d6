import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lifecycle/log.js'

export interface AgentOptions {
  /** The agent's program, a file for node. */
  readonly program: string
  /** Where the agent keeps its identity and state. */
  readonly dataDir: string
  /** Where we are: another start may listen elsewhere. */
  readonly serverUrl: string
  /** The flags of `enroll`, with a new token; asked where the agent has no identity yet. */
  readonly enrolment: () => Promise<readonly string[]>
  readonly log: Log
}

export interface SupervisedAgent {
  stop(): Promise<void>
}

/** How the agent's commands end, as its help says. */
const agentExit = { ok: 'exit code 0', removed: 'exit code 3', notEnrolled: 'exit code 4' } as const
const shortestPauseMs = 1_000
const longestPauseMs = 30_000
const stableMs = 60_000
const stopPatienceMs = 5_000

/** Keeps an agent for this machine running: enrols it first, and starts it again when it ends. */
export function superviseAgent(options: AgentOptions): SupervisedAgent {
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
      const remedy = `to bring it back as a new one, remove ${removedPath(options.dataDir)} and start Roost again`
      log.warn(`an operator removed this machine's node, and its agent stays away: ${remedy}`)
      return
    }
    if (outcome === 'enrolled') continue
    if (performance.now() - began > stableMs) pauseMs = shortestPauseMs
    log.warn(`the agent has ended (${outcome}) and is started again in ${pauseMs / 1000} s`)
    await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {})
    pauseMs = Math.min(pauseMs * 2, longestPauseMs)
  }
}

/** Runs the agent to its end; where it has no identity yet, gives it one instead. */
async function runOnce(options: AgentOptions, log: Log, stopping: AbortSignal): Promise<string> {
  await prepare(options.dataDir)
  const { exit, said } = await runAgent(options, ['run', '--server', options.serverUrl], log, stopping)
  if (exit === agentExit.removed) return 'removed'
  if (exit !== agentExit.notEnrolled) return `${exit}: ${said}`
  // A restart, or a crash, is no reason to undo what an operator decided.
  if (existsSync(removedPath(options.dataDir))) return 'removed'
  const flags = ['enroll', ...(await options.enrolment())]
  if ((await runAgent(options, flags, log, stopping)).exit === agentExit.ok) return 'enrolled'
  // Its data directory was lost, and the node that it was is known: it goes on as that.
  const again = await runAgent(options, [...flags, '--take-place'], log, stopping)
  return again.exit === agentExit.ok ? 'enrolled' : `it cannot enrol: ${again.said}`
}

/** Where an agent puts the identity of a node that was removed. */
function removedPath(dataDir: string): string {
  return join(dataDir, 'identity.removed.json')
}

/** Where there is no Swift, each local filesystem counts as a device, so that a newcomer sees capacity. */
async function prepare(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const path = join(dataDir, 'config.json')
  if (!existsSync(path)) await writeFile(path, `${JSON.stringify({ devices: 'local-filesystems' }, null, 2)}\n`)
}

/** Runs one command of the agent to its end, and answers how it ended and what it said last. */
async function runAgent(
  { program, dataDir }: AgentOptions,
  args: readonly string[],
  log: Log,
  stopping: AbortSignal,
): Promise<{ readonly exit: string; readonly said: string }> {
  if (stopping.aborted) return { exit: 'stopped', said: '' }
  // The channel tells the agent when we are gone, however we ended.
  const child = spawn(process.execPath, [program, '--data-dir', dataDir, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const lastWords = relay(child, log)
  const stop = () => endChild(child)
  stopping.addEventListener('abort', stop, { once: true })
  try {
    return { exit: await ended(child), said: lastWords() }
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
  const patience = setTimeout(() => child.kill('SIGKILL'), stopPatienceMs)
  child.once('exit', () => clearTimeout(patience))
}

const levels: Readonly<Record<number, 'debug' | 'warn' | 'error'>> = { 40: 'warn', 50: 'error' }

/**
 * What the agent says of its daily work is for who asks (debug); its warnings are for everyone. Answers what it last
 * wrote in plain words, which is why a command failed.
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
