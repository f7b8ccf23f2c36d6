import { execFile } from 'node:child_process'
import { lstat, readFile } from 'node:fs/promises'

/** A service of systemd on this machine. */
export interface Unit {
  /** Such as `active`, `inactive` or `failed`. */
  readonly state: string
  /** The reason of its last end, such as `success`, `exit-code` or `watchdog`. */
  readonly result: string
  /** The variables that systemd gives it, except those of files that the caller cannot read. */
  readonly variables: Readonly<Record<string, string>>
}

export interface UnitOptions {
  /** The folder that exists while systemd runs the machine, as sd_booted(3) checks it. */
  readonly bootedPath?: string
  /** The program that shows the properties of a unit. */
  readonly program?: string
}

const properties = ['LoadState', 'ActiveState', 'Result', 'Environment', 'EnvironmentFiles']
const deadlineMs = 5_000

/** Returns true when systemd runs this machine, by the rule of sd_booted(3). */
async function isBooted(path = '/run/systemd/system'): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found?.isDirectory() === true
}

/** Reads a service; null without systemd, and when it does not have the service or does not answer. */
export async function readUnit(name: string, options: UnitOptions = {}): Promise<Unit | null> {
  const { bootedPath, program = 'systemctl' } = options
  if (!(await isBooted(bootedPath))) return null
  const shown = await show(program, name)
  if (shown?.get('LoadState') !== 'loaded') return null
  const files = (shown.get('EnvironmentFiles') ?? '').matchAll(/(\S+) \(ignore_errors=\w+\)/g)
  const ofFiles = await Promise.all(Array.from(files, ([, path = '']) => variablesOfFile(path)))
  return {
    state: shown.get('ActiveState') ?? '',
    result: shown.get('Result') ?? '',
    // As systemd has it, a file overrides what the unit sets.
    variables: Object.assign(parseAssignments(shown.get('Environment') ?? ''), ...ofFiles),
  }
}

function show(program: string, name: string): Promise<Map<string, string> | null> {
  const args = ['show', `${name}.service`, `--property=${properties.join(',')}`]
  return new Promise((resolve) => {
    const env = { PATH: '/usr/bin:/bin', SYSTEMD_COLORS: '0' }
    execFile(program, args, { env, timeout: deadlineMs }, (error, stdout) => {
      if (error !== null) return resolve(null)
      const lines = stdout.split('\n').map((line) => /^(\w+)=(.*)$/.exec(line))
      const entries = lines.map((match) => [match?.[1] ?? '', match?.[2] ?? ''] as const)
      // There is a line for each file with variables.
      const all = new Map<string, string>()
      for (const [key, value] of entries) all.set(key, all.has(key) ? `${all.get(key)} ${value}` : value)
      return resolve(all)
    })
  })
}

async function variablesOfFile(path: string): Promise<Record<string, string>> {
  const text = await readFile(path, 'utf8').catch(() => '')
  return parseEnvironmentFile(text)
}

/** Parses a file of variables: a `KEY=value` on each line, in quotes or not; lines that begin with `#` or `;` are comments. */
export function parseEnvironmentFile(text: string): Record<string, string> {
  const lines = text.replaceAll('\\\n', '').split('\n')
  const found = lines.flatMap((line) => {
    const match = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line)
    return match === null ? [] : [[match[1] as string, unquoted((match[2] as string).trim())] as const]
  })
  return Object.fromEntries(found)
}

/** Parses `A=1 "B=x y"`, the form in which systemctl shows variables. */
export function parseAssignments(text: string): Record<string, string> {
  const assignments = text.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? []
  return Object.fromEntries(
    assignments.map(unquoted).flatMap((assignment) => {
      const at = assignment.indexOf('=')
      return at < 1 ? [] : [[assignment.slice(0, at), assignment.slice(at + 1)] as const]
    }),
  )
}

function unquoted(text: string): string {
  const single = /^'(.*)'$/.exec(text)?.[1]
  if (single !== undefined) return single
  const double = /^"(.*)"$/.exec(text)?.[1]
  return (double ?? text).replaceAll(/\\(.)/g, '$1')
}
