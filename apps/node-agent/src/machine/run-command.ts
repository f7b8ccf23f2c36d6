import { spawn } from 'node:child_process'
import type { ChildProcess, ChildProcessByStdio } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'

export interface CommandOptions {
  /** The command is killed, with everything it started, when it takes longer; time in which the agent stood still aside. */
  readonly deadlineMs: number
  /** The command is killed when it writes more than this to one of its outputs. Default 1 MiB. */
  readonly maxOutputBytes?: number
  /** The whole environment of the command; by default a fixed PATH and the C locale. */
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** Standard input of the command; empty by default. Secrets are passed here, because everybody sees arguments. */
  readonly input?: string
}

export interface CommandResult {
  readonly outcome: 'exited' | 'timed_out' | 'too_much_output' | 'aborted' | 'not_started'
  /** Null unless the command ended by itself. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** Resolves when the process is gone, which for a task that hangs in the kernel may be never. */
  readonly ended: Promise<void>
}

export type RunCommand = (file: string, args: readonly string[], options: CommandOptions) => Promise<CommandResult>

/** The default environment of commands: none of our variables leaks, and messages are in English. */
const plainEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin',
  LC_ALL: 'C',
}

/** Runs a program without a shell. Never rejects: what went wrong is part of the result. */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  if (options.signal?.aborted) return notStarted('aborted', 'The agent is stopping')
  try {
    // A group of its own, so that a kill reaches what the command itself started.
    const child = spawn(file, args, {
      cwd: '/',
      env: options.env ?? plainEnvironment,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
    })
    feed(child, options.input)
    return await follow(child, options)
  } catch (error) {
    return notStarted('not_started', String(error))
  }
}

/** Starts a program that is asked by its input, in a group of its own and without our variables; for `helper.ts`. */
export function startConversation(
  file: string,
  args: readonly string[],
): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(file, args, { cwd: '/', env: plainEnvironment, stdio: ['pipe', 'pipe', 'ignore'], detached: true })
}

function feed({ stdin }: ChildProcess, input: string | undefined): void {
  // A command that ends without reading breaks the pipe: its exit code tells more.
  stdin?.on('error', () => {})
  stdin?.end(input)
}

function notStarted(outcome: 'aborted' | 'not_started', reason: string): CommandResult {
  return { outcome, exitCode: null, stdout: '', stderr: reason, ended: Promise.resolve() }
}

async function follow(child: ChildProcess, options: CommandOptions): Promise<CommandResult> {
  const limit = options.maxOutputBytes ?? 1 << 20
  const stdout = new Output(limit)
  const stderr = new Output(limit)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const finish = (outcome: CommandResult['outcome'], exitCode: number | null, reason?: string): CommandResult => ({
    outcome,
    exitCode,
    stdout: stdout.text(),
    stderr: reason ?? stderr.text(),
    ended,
  })
  return new Promise((resolve) => {
    const settle = (result: CommandResult): void => {
      cancelDeadline()
      options.signal?.removeEventListener('abort', abort)
      resolve(result)
    }
    const giveUp = (outcome: CommandResult['outcome']): void => {
      abandon(child)
      settle(finish(outcome, null))
    }
    const abort = (): void => giveUp('aborted')
    const cancelDeadline = afterRunning(options.deadlineMs, () => giveUp('timed_out'))
    options.signal?.addEventListener('abort', abort, { once: true })
    child.stdout?.on('data', (bytes: Buffer) => stdout.add(bytes) || giveUp('too_much_output'))
    child.stderr?.on('data', (bytes: Buffer) => stderr.add(bytes) || giveUp('too_much_output'))
    child.once('error', (error) => settle(finish('not_started', null, error.message)))
    child.once('close', (code) => settle(finish('exited', code)))
  })
}

/**
 * Calls back when this process has run for so long, and answers how to prevent that. A pause of the whole machine, as in a
 * snapshot, is one late step: what the command did until then is heard before the next.
 */
function afterRunning(ms: number, callback: () => void): () => void {
  const stepMs = Math.min(1_000, ms / 4)
  let timer: NodeJS.Timeout
  const step = (leftMs: number): void => {
    timer = setTimeout(() => (leftMs > stepMs ? step(leftMs - stepMs) : callback()), Math.min(stepMs, leftMs))
  }
  step(ms)
  return () => clearTimeout(timer)
}

/** Kills the group and lets go of it: a task that hangs in the kernel outlives SIGKILL and must not hold our exit. */
export function abandon(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL') // the group is gone already
  }
  child.stdin?.destroy()
  child.stdout?.destroy()
  child.stderr?.destroy()
  child.unref()
}

/** Collects the output of a command, up to a limit. */
class Output {
  readonly #chunks: Buffer[] = []
  readonly #limit: number
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Returns false once there is more than the limit. */
  add(chunk: Buffer): boolean {
    this.#bytes += chunk.length
    if (this.#bytes > this.#limit) return false
    this.#chunks.push(chunk)
    return true
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8')
  }
}

/** Describes in one line the failure of a command. */
export function describeFailure(result: CommandResult): string {
  const said = result.stderr.trim().split('\n', 1)[0]
  const byOutcome = {
    timed_out: 'did not answer in time and was killed',
    too_much_output: 'wrote more than expected and was killed',
    aborted: 'was stopped because the agent is stopping',
    not_started: `could not be started: ${said}`,
    exited: said || (result.exitCode === null ? 'was killed' : `ended with exit code ${result.exitCode}`),
  } as const satisfies Record<CommandResult['outcome'], string>
  return byOutcome[result.outcome]
}
