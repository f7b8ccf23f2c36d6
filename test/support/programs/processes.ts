import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { roostProgram } from '../http/control-plane.js'

export interface ProcessResult {
  readonly code: number | string | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end, whatever its exit code. */
export function runToEnd(
  program: string,
  args: readonly string[],
  options: {
    readonly env?: Readonly<Record<string, string>>
    readonly cwd?: string
    readonly timeout?: number
    readonly uid?: number
    readonly gid?: number
  } = {},
): Promise<ProcessResult> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: 120_000, maxBuffer: 1 << 26, ...options }, (error, stdout, stderr) => {
      resolve({ code: error ? (error.code ?? null) : 0, stdout, stderr })
    })
  })
}

/** What asks a control plane: `.ci/run` bundles it. What works on this machine, as `roost local`, needs the files of the clone. */
const commandProgram = process.env['ROOST_TEST_COMMANDS'] ?? roostProgram

/** Runs the command line `roost` to its end. */
export function runRoost(args: readonly string[], env: Readonly<Record<string, string>>): Promise<ProcessResult> {
  const program = args[0] === 'local' ? roostProgram : commandProgram
  return runToEnd(process.execPath, [program, ...args], { env })
}

/** Processes whose command line names this path; one that has ended and was not reaped does not count. */
export function processesNaming(path: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes(path) && !/^State:\s+Z/m.test(read(`/proc/${pid}/status`)))
    .map(Number)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
