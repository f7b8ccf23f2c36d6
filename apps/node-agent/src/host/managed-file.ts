import { open, readFile, rename, rm } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Replaces a file so that after any crash it is either the old one or the new one, whole. The folder must exist.
 * Two writers of one path must take turns. Rejects with a sentence that names the path.
 */
export async function writeManagedFile(path: string, data: string | Uint8Array, mode = 0o600): Promise<void> {
  const temporary = `${path}.new`
  try {
    await rm(temporary, { force: true }) // of a writer that was killed: its mode may be another
    const file = await open(temporary, 'wx', mode)
    await writeThrough(file, data, mode)
    await rename(temporary, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw new Error(`Cannot write ${path}: ${(error as Error).message}`, { cause: error })
  }
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

async function writeThrough(file: FileHandle, data: string | Uint8Array, mode: number): Promise<void> {
  try {
    await file.chmod(mode) // the umask does not decide
    await file.writeFile(data)
    await file.sync()
  } finally {
    await file.close()
  }
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
