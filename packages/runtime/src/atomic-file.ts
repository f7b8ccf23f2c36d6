import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface AtomicFileOptions {
  readonly mode: number
  /** The group of the file; unset: the one that the system gives it. */
  readonly gid?: number | undefined
  /** Called when the new file is on the disk and the old one is still in place. */
  readonly beforeRename?: (() => void) | undefined
}

/**
 * Replaces a file so that after any crash it is either the old one or the new one, complete. The folder must exist, and
 * two writers of one path must not run at the same time.
 */
export async function writeFileAtomically(
  path: string,
  data: string | Uint8Array,
  { beforeRename, ...options }: AtomicFileOptions,
): Promise<void> {
  try {
    await stageFile(path, data, options)
    beforeRename?.()
    await commitStagedFile(path)
  } catch (error) {
    await removeStagedFile(path)
    throw error
  }
}

/** Writes the next content of a file beside it, and to the disk. */
export async function stageFile(
  path: string,
  data: string | Uint8Array,
  { mode, gid }: AtomicFileOptions,
): Promise<void> {
  const temporary = stagedPath(path)
  // A killed writer may have left one with another mode.
  await rm(temporary, { force: true })
  const file = await open(temporary, 'wx', mode)
  try {
    await setGroup(file, gid)
    await file.chmod(mode) // regardless of the umask
    await file.writeFile(data)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Replaces a file by the staged one. */
export async function commitStagedFile(path: string): Promise<void> {
  await rename(stagedPath(path), path)
  await syncFolder(dirname(path))
}

export async function removeStagedFile(path: string): Promise<void> {
  await rm(stagedPath(path), { force: true }).catch(() => {})
}

/** Makes a rename or a removal in the folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function stagedPath(path: string): string {
  return `${path}.new`
}

/** Files inherit the group of some folders: a change that is not needed may not be permitted. */
async function setGroup(file: FileHandle, gid: number | undefined): Promise<void> {
  const { uid, gid: present } = await file.stat()
  if (gid !== undefined && gid !== present) await file.chown(uid, gid)
}
