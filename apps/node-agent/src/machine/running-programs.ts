import type { Machine } from './machine.js'

/**
 * Reads the names of the processes from the kernel, 15 characters at most. Not their command lines: reading those waits for a
 * process that hangs in a dead mount.
 */
export function readPrograms(machine: Machine): ReadonlySet<string> {
  const pids = machine.list('/proc').filter((name) => /^\d+$/.test(name))
  return new Set(pids.map((pid) => machine.read(`/proc/${pid}/comm`)?.trim() ?? ''))
}
