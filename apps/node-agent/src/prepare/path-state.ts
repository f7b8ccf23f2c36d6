import { chmod, chown, lstat, mkdir, readFile, readlink, rmdir, symlink, writeFile } from 'node:fs/promises'
import * as z from 'zod/mini'
import { removeManagedFile, writeManagedFile } from '../machine/managed-file.js'
import type { Machine } from '../machine/machine.js'

const id = z.number().check(z.nonnegative())

/** The state of one path of the machine. */
export const PathState = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('absent') }),
  z.strictObject({ kind: z.literal('file'), text: z.string(), mode: id, uid: id, gid: id }),
  z.strictObject({ kind: z.literal('folder'), mode: id, uid: id, gid: id }),
  z.strictObject({ kind: z.literal('link'), target: z.string() }),
  /** A setting of the kernel: a file that is written in place. */
  z.strictObject({ kind: z.literal('kernel'), text: z.string() }),
])
export type PathState = z.infer<typeof PathState>

export const absent: PathState = { kind: 'absent' }

const kernelSettings = '/proc/sys/'

/** Reads the state of a path. Throws for a file that is not text, because a diff could not show it. */
export async function readState(machine: Machine, path: string): Promise<PathState> {
  const file = machine.path(path)
  const found = await lstat(file).catch(unlessMissing)
  if (found === undefined) return absent
  if (found.isFile() && path.startsWith(kernelSettings))
    return { kind: 'kernel', text: (await readFile(file, 'utf8')).trim() }
  if (found.isSymbolicLink()) return { kind: 'link', target: await readlink(file) }
  const rights = { mode: found.mode & 0o7777, uid: found.uid, gid: found.gid }
  if (found.isDirectory()) return { kind: 'folder', ...rights }
  if (!found.isFile()) throw new Error(`${path} is neither a file nor a folder: move it away.`)
  const bytes = await readFile(file)
  const text = bytes.toString('utf8')
  if (!Buffer.from(text).equals(bytes)) throw new Error(`${path} is not text in UTF-8: correct it.`)
  return { kind: 'file', text, ...rights }
}

/** Gives a path this state. A folder is removed only when it is empty; its parent has to exist. */
export async function writeState(machine: Machine, path: string, state: PathState): Promise<void> {
  const file = machine.path(path)
  switch (state.kind) {
    case 'absent':
      return remove(machine, path)
    case 'kernel':
      return writeFile(file, `${state.text}\n`)
    case 'link':
      await removeManagedFile(file)
      return symlink(state.target, file)
    case 'folder':
      await mkdir(file).catch(unlessThere)
      await setOwner(file, state)
      return chmod(file, state.mode) // after the owner, whose change removes setgid
    case 'file':
      await writeManagedFile(file, state.text, state.mode, state.gid)
      return setOwner(file, state)
  }
}

async function remove(machine: Machine, path: string): Promise<void> {
  const file = machine.path(path)
  const found = await lstat(file).catch(unlessMissing)
  if (found === undefined) return
  await (found.isDirectory() ? rmdir(file) : removeManagedFile(file))
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

async function setOwner(file: string, { uid, gid }: Owner): Promise<void> {
  const found = await lstat(file)
  if (found.uid !== uid || found.gid !== gid) await chown(file, uid, gid)
}

/** Returns true if two states are the same, to the byte and the mode. */
export function isSame(one: PathState, other: PathState): boolean {
  const keys = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...keys].every((key) => one[key as keyof PathState] === other[key as keyof PathState])
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
