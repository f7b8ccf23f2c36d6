import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '@roost/runtime'
import type { Machine } from '../../machine/machine.js'
import { describeFailure } from '../../machine/run-command.js'
import type { RunCommand } from '../../machine/run-command.js'
import { logTails, type NewLines } from './log-tail.js'

export interface DaemonsOptions {
  /** The directory of their pid files and logs; absolute. */
  readonly dir: string
  readonly machine: Machine
  readonly run: RunCommand
  readonly clock: Clock
  /** True when systemd runs them; else they run detached from the agent. */
  readonly systemd: boolean
}

/** Runs programs that outlive the agent, and finds them again after any end of the agent. */
export interface Daemons {
  start(name: string, argv: readonly string[]): Promise<void>
  isRunning(name: string): boolean
  end(name: string): Promise<void>
  /** Kills a program that hangs; its log stays. */
  kill(name: string): Promise<void>
  /** Returns its output since its start; `end` removes it. */
  log(name: string): string
  /** Returns its output since the last call, each line once; the first call returns only the end of the log. */
  newLines(name: string): NewLines
  /** Truncates a long log to its beginning, which has the port of the program. */
  trimLog(name: string): Promise<void>
}

const startMs = 10_000
const politeMs = 5_000

const bootId = '/proc/sys/kernel/random/boot_id'
/** Clients that repeat calls while Swift is unavailable must not fill the disk. */
const longLogBytes = 1 << 20
const trimmedLogBytes = 4 << 10

export function createDaemons({ dir, machine, run, clock, systemd }: DaemonsOptions): Daemons {
  const pidFile = (name: string) => join(dir, `${name}.pid`)
  const logFile = (name: string) => join(dir, `${name}.log`)
  const scriptFile = (name: string) => join(dir, `${name}.sh`)
  const tailOf = logTails(logFile)
  const find = (name: string) => runningAs(machine, machine.read(pidFile(name)))
  return {
    async start(name, argv) {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      await rm(pidFile(name), { force: true })
      tailOf(name).end()
      await rm(logFile(name), { force: true })
      await writeFile(scriptFile(name), startScript(argv, pidFile(name), logFile(name)), { mode: 0o600 })
      // The unit of a program that has just ended may still exist.
      if (systemd) await run('systemctl', ['stop', unitOf(name)], { deadlineMs: startMs })
      const [file = '', ...args] = systemd
        ? underSystemd(name, scriptFile(name))
        : ['setsid', '--fork', 'sh', scriptFile(name)]
      const result = await run(file, args, { deadlineMs: startMs })
      if (result.outcome !== 'exited' || result.exitCode !== 0)
        throw new Error(`Could not start ${argv[0]}: ${describeFailure(result)}.`)
    },
    isRunning: (name) => find(name) !== undefined,
    async end(name) {
      const pid = find(name)
      if (pid !== undefined) {
        signal(pid, 'SIGTERM')
        if (!(await waitUntilEnded(clock, () => find(name) === undefined))) signal(pid, 'SIGKILL')
        await waitUntilEnded(clock, () => find(name) === undefined)
      }
      tailOf(name).end()
      for (const file of [pidFile(name), logFile(name), scriptFile(name)]) await rm(file, { force: true })
    },
    async kill(name) {
      const pid = find(name)
      if (pid === undefined) return
      signal(pid, 'SIGKILL')
      await waitUntilEnded(clock, () => find(name) === undefined)
    },
    log: (name) => machine.read(logFile(name)) ?? '',
    newLines: (name) => tailOf(name).read(),
    async trimLog(name) {
      const { size } = await stat(logFile(name)).catch(() => ({ size: 0 }))
      if (size > longLogBytes) tailOf(name).trim(trimmedLogBytes)
    },
  }
}

/**
 * The program replaces the shell, so that the pid file names it: its pid, its start time and the boot of the machine. The process
 * itself writes that file, so that it exists even if the agent dies at this moment. Without `INVOCATION_ID`, which systemd sets,
 * rclone logs its time.
 */
function startScript(argv: readonly string[], pidFile: string, logFile: string): string {
  return `exec >>${quoted(logFile)} 2>&1 </dev/null
unset INVOCATION_ID
cat /proc/$$/stat ${bootId} >${quoted(pidFile)} && exec ${argv.map(quoted).join(' ')}
`
}

/** Returns one argument of a shell command, for any characters. */
function quoted(argument: string): string {
  return `'${argument.replaceAll("'", `'\\''`)}'`
}

// systemd expands `$` in a command line, so the program's arguments are in the script and never in the unit (ADR 19).
function underSystemd(name: string, script: string): readonly string[] {
  const unit = ['--quiet', '--collect', `--unit=${unitOf(name)}`, '--property=KillMode=process']
  return ['systemd-run', ...unit, '--', 'sh', script.replaceAll('$', '$$$$')]
}

function unitOf(name: string): string {
  return `roost-${name}.service`
}

/** Returns the pid of the process whose `/proc/<pid>/stat` was recorded, if it is still the same process and alive. */
function runningAs(machine: Machine, written: string | undefined): number | undefined {
  const [line, boot] = written?.split('\n') ?? []
  const then = parseStat(line)
  if (then === undefined || boot !== machine.read(bootId)?.trim()) return undefined
  const now = parseStat(machine.read(`/proc/${then.pid}/stat`))
  return now !== undefined && now.started === then.started && now.state !== 'Z' ? then.pid : undefined
}

/** Parses pid, state and start of `/proc/<pid>/stat`; the name between them may contain any character. */
function parseStat(text: string | undefined) {
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const pid = Number.parseInt(text, 10)
  const [state = ''] = fields
  const started = fields[19]
  return Number.isInteger(pid) && started !== undefined ? { pid, state, started } : undefined
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function waitUntilEnded(clock: Clock, isEnded: () => boolean): Promise<boolean> {
  const until = clock.monotonic() + politeMs
  while (!isEnded()) {
    if (clock.monotonic() >= until) return false
    await new Promise<void>((resolve) => clock.after(50, resolve))
  }
  return true
}
