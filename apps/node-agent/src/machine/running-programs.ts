import type { Machine } from './machine.js'

/** Servers that the agent runs for a moment to read their versions. */
const queried: ReadonlySet<string> = new Set(['smbd', 'ganesha.nfsd', 'rpc.mountd'])

/**
 * Reads the names of the processes from the kernel, 15 characters at most. Not their command lines: reading those waits for a
 * process that hangs in a dead mount. A server that the agent queries for its version does not count: it serves nothing.
 */
export function readPrograms(machine: Machine): ReadonlySet<string> {
  const pids = machine.list('/proc').filter((name) => /^\d+$/.test(name))
  const names = pids.map((pid) => {
    const name = machine.read(`/proc/${pid}/comm`)?.trim() ?? ''
    return queried.has(name) && isOwnChild(machine, pid) ? '' : name
  })
  return new Set(names)
}

function isOwnChild(machine: Machine, pid: string): boolean {
  const stat = machine.read(`/proc/${pid}/stat`) ?? ''
  // The name before the last parenthesis may contain blanks; state and parent are after it.
  const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return Number(parent) === process.pid
}
