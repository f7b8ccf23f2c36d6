import type { ReadSlowly } from '../../collectors/engine/slow-reader.js'
import type { Machine } from '../../machine/machine.js'

/** The first process of a program of Swift; its workers are not in the list. */
export interface SwiftProcess {
  /** Such as `object-updater`. */
  readonly daemon: string
  /** The file or folder that it was started with. */
  readonly path: string
  /** Distinguishes it from a process that started later. */
  readonly started: string
}

/** More would be a machine that runs something else under these names. */
const mostProcesses = 500

/**
 * Lists the running programs of Swift. The kernel cuts their names at 15 characters, so that command lines are read; a helper reads
 * them, because the kernel answers only when a process that hangs in a disk releases its memory map.
 */
export async function listSwiftProcesses(kernel: Machine, readSlowly: ReadSlowly): Promise<readonly SwiftProcess[]> {
  const pids = kernel.list('/proc').filter((entry) => /^\d+$/.test(entry))
  const named = pids.filter((pid) => kernel.read(`/proc/${pid}/comm`)?.startsWith('swift-') === true)
  const paths = named.slice(0, mostProcesses).map((pid) => `/proc/${pid}/cmdline`)
  const lines = paths.length === 0 ? new Map<string, never>() : await readSlowly(paths)
  const found = named.flatMap((pid) => {
    const program = programOf(lines.get(`/proc/${pid}/cmdline`)?.text)
    const stat = program === undefined ? undefined : statOf(kernel.read(`/proc/${pid}/stat`))
    return program === undefined || stat === undefined ? [] : { pid, ...program, ...stat }
  })
  const daemons = new Map(found.map(({ pid, daemon }) => [pid, daemon]))
  return found
    .filter(({ parent, daemon }) => daemons.get(parent) !== daemon)
    .map(({ pid, daemon, path, startTime }) => ({ daemon, path, started: `${pid} ${startTime}` }))
}

/** Finds the program and its configuration among the arguments of a command line. */
export function programOf(line: string | undefined): { readonly daemon: string; readonly path: string } | undefined {
  const parts = (line ?? '').split(/[\0\n]/)
  const at = parts.findIndex((each) => /(?:^|\/)swift-[a-z-]+$/.test(each))
  const daemon = parts[at]?.replace(/^.*swift-/, '')
  const path = parts.slice(at + 1).find((each) => each.startsWith('/'))
  return at < 0 || daemon === undefined || path === undefined ? undefined : { daemon, path: path.replace(/\/+$/, '') }
}

/** Reads the parent of a process, and its start in ticks of the kernel since the boot, from `/proc/<pid>/stat`. */
export function statOf(stat: string | undefined): { readonly parent: string; readonly startTime: string } | undefined {
  // The name before the last parenthesis may contain blanks; state, parent and, as the 20th of them, the start are after it.
  const fields = (stat ?? '').slice((stat ?? '').lastIndexOf(')') + 2).split(' ')
  const [, parent] = fields
  const startTime = fields[19]
  return parent === undefined || startTime === undefined ? undefined : { parent, startTime }
}
