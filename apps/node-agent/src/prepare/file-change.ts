import { lstatSync } from 'node:fs'
import type { Machine } from '../machine/machine.js'
import type { Change } from './change.js'

interface Rights {
  readonly mode?: number
  readonly uid?: number
  readonly gid?: number
}

/** Returns the change that makes a path a file with this text. */
export function newFile(path: string, text: string, reason: string, rights: Rights = {}): Change {
  const after = {
    kind: 'file',
    text,
    mode: rights.mode ?? 0o644,
    uid: rights.uid ?? process.getuid?.() ?? 0,
    gid: rights.gid ?? process.getgid?.() ?? 0,
  } as const
  return { path, sentence: `Writes ${path}, which ${reason}.`, after }
}

/** Returns a path of the machine for a file of ours. Throws where the machine's root does not contain it. */
export function pathOnMachine(machine: Machine, file: string): string {
  if (machine.root === '/') return file
  if (file.startsWith(`${machine.root}/`)) return file.slice(machine.root.length)
  throw new Error(`${file} is not below ${machine.root}: run this command on the machine itself, without --root.`)
}

/** Returns the owner, and of a file the mode; undefined where it does not exist. */
export function rightsOf(path: string): (Required<Pick<Rights, 'uid' | 'gid'>> & Pick<Rights, 'mode'>) | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  const { uid, gid, mode } = found
  return found.isFile() ? { uid, gid, mode: mode & 0o7777 } : { uid, gid }
}
