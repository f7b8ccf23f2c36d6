import { readFile, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fp } from '@roost/failpoints'
import { errorText, removeStagedFile, stageFile, syncFolder, writeFileAtomically } from '@roost/runtime'

const beforeRename = () => fp('agent.store.afterTmpBeforeRename')

/** Replaces a file atomically. With `gid` the file belongs to that group. Rejects with a sentence that names the path. */
export async function writeManagedFile(
  path: string,
  data: string | Uint8Array,
  mode = 0o600,
  gid?: number,
): Promise<void> {
  try {
    await writeFileAtomically(path, data, { mode, gid, beforeRename })
  } catch (error) {
    throw new Error(`Cannot write ${path}: ${errorText(error)}`, { cause: error })
  }
}

/** Writes the next content of a file beside it, so that a full disk is an error now and not at the commit. */
export async function stageManagedFile(path: string, data: string, mode: number): Promise<void> {
  try {
    await stageFile(path, data, { mode })
  } catch (error) {
    await removeStagedFile(path)
    throw new Error(`Cannot write ${path}: ${errorText(error)}${await describeSpace(path, error)}`, { cause: error })
  }
}

async function describeSpace(path: string, error: unknown): Promise<string> {
  if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') return ''
  const { bavail, bsize } = await statfs(dirname(path))
  return `; ${bavail * bsize} bytes are free in ${dirname(path)}`
}

/** Reads a file; returns undefined when it does not exist. */
export async function readManagedFile(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Removes a file durably. A file that does not exist is not an error. */
export async function removeManagedFile(path: string): Promise<void> {
  await rm(path, { force: true })
  await syncFolder(dirname(path))
}
