import { open, readFile, rename, rm, statfs } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fp } from '@roost/failpoints'

/**
 * Replaces a file so that after any crash it is either the old one or the new one, whole. The folder must exist.
 * Two writers of one path must take turns. With `gid` the file is that group's. Rejects with a sentence that names the path.
 */
export async function writeManagedFile(
  path: string,
  data: string | Uint8Array,
  mode = 0o600,
  gid?: number,
): Promise<void> {
  const temporary = `${path}.new`
  try {
    await rm(temporary, { force: true }) // of a writer that was killed: its mode may be another
    const file = await open(temporary, 'wx', mode)
    await writeThrough(file, data, mode, gid)
    fp('agent.store.afterTmpBeforeRename')
    await rename(temporary, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw new Error(`Cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
}

/** Writes what is to become the file beside it, and through to the disk: what fails for want of room fails here. */
export async function stageManagedFile(path: string, data: string, mode: number): Promise<void> {
  const temporary = `${path}.new`
  try {
    await rm(temporary, { force: true })
    await writeThrough(await open(temporary, 'wx', mode), data, mode)
  } catch (error) {
    await unstageManagedFile(path)
    throw new Error(`Cannot write ${path}: ${(error as Error).message}${await roomIn(path, error)}`, { cause: error })
  }
}

/** The staged file takes the place of the old one: after any crash it is either of the two, whole. */
export async function placeManagedFile(path: string): Promise<void> {
  await rename(`${path}.new`, path)
  await syncFolder(dirname(path))
}

export async function unstageManagedFile(path: string): Promise<void> {
  await rm(`${path}.new`, { force: true }).catch(() => {})
}

async function roomIn(path: string, error: unknown): Promise<string> {
  if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') return ''
  const { bavail, bsize } = await statfs(dirname(path))
  return `; ${bavail * bsize} bytes are free in ${dirname(path)}`
}

/** The content of a file; undefined when it is not there. */
export async function readManagedFile(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Removes a file for good; one that is not there is no fault. */
export async function removeManagedFile(path: string): Promise<void> {
  await rm(path, { force: true })
  await syncFolder(dirname(path))
}

async function writeThrough(file: FileHandle, data: string | Uint8Array, mode: number, gid?: number): Promise<void> {
  try {
    await giveTo(file, gid)
    await file.chmod(mode) // the umask does not decide
    await file.writeFile(data)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A folder that hands its group down to its files needs no right to do it. */
async function giveTo(file: FileHandle, gid: number | undefined): Promise<void> {
  const { uid, gid: present } = await file.stat()
  if (gid !== undefined && gid !== present) await file.chown(uid, gid)
}

/** Makes a rename or a removal in the folder last. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
