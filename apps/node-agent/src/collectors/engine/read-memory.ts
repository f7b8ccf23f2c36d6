import type { CollectorHost } from './collector.js'

/** Files that the kernel answers from memory. Some files of a process wait for its locks, its state does not. */
const inMemory = /^\/(?:proc\/(?:[a-z]|\d+\/stat$)|sys\/fs\/)/

/** Reads a file of the kernel's memory. Refuses any other file, because a device could block the agent. */
export function readMemory(machine: Pick<CollectorHost['machine'], 'read'>, path: string): string | undefined {
  if (!inMemory.test(path) || path.includes('/../'))
    throw new Error(`${path} may block its reader: read it with readSlowly (docs/add/collector.md)`)
  return machine.read(path)
}
