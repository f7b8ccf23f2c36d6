import type { Machine } from '../machine/machine.js'
import { CommandError } from './command-error.js'

/** Throws unless this account may change the files of the machine. */
export function requireRoot(machine: Machine): void {
  if (machine.root === '/' && process.getuid?.() !== 0)
    throw new CommandError('This command changes files of the system.', { remedy: 'Run it as root.' })
}

/** Turns a sentence that a preparation throws into the end of the command. */
export async function orCommandError<T>(work: () => T | Promise<T>, before = ''): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new CommandError(`${before} ${(error as Error).message}`.trim())
  }
}

export function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`)
}
