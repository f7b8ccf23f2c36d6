import { rename, stat, writeFile } from 'node:fs/promises'
import type { Stats } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { RunCommand } from '../../../machine/run-command.js'
import { describeFailure } from '../../../machine/run-command.js'
import { isComplete, metaFolder } from './cached-file.js'

/** The part of a cache that belongs to one mount. */
export interface MountCache {
  /** Absolute; contains `vfs` and `vfsMeta`. */
  readonly folder: string
  readonly remote: string
  readonly container: string
  /** True when files that clients only read are cached, too. */
  readonly retain: boolean
}

/** Lists files whose metadata were lost, by their paths within the container. */
export interface RepairedFiles {
  /** Files that are uploaded under their names. */
  readonly complete: readonly string[]
  /** Other names under which the rest of a file is uploaded. */
  readonly incomplete: readonly string[]
}

/** Makes a cache safe for the start of an rclone. Rejects when it is not. */
export type RepairMetadata = (cache: MountCache) => Promise<RepairedFiles>

const searchMs = 120_000
const maxOutputBytes = 64 << 20
/** A client that copies a file sets an older mtime than that of the write. */
const sameTimeMs = 60_000
const longestNameBytes = 255

/**
 * rclone empties a file's metadata before it writes them. Killed in between, or on a full disk, it leaves an empty file,
 * and the next start removes the data: this writes metadata by which the file is uploaded. Call it only while no rclone uses the cache.
 */
export function createRepairMetadata(run: RunCommand): RepairMetadata {
  return async ({ folder, remote, container, retain }) => {
    const meta = join(metaFolder(folder), remote, container)
    const complete: string[] = []
    const incomplete: string[] = []
    for (const path of await emptyFiles(run, meta)) {
      const file = { meta: join(meta, path), data: join(folder, 'vfs', remote, container, path) }
      const data = await stat(file.data).catch(unlessMissing)
      if (data === undefined || data.size === 0) continue
      // A file of which clients have read or changed only a part is not complete.
      if (isComplete(data) && (!retain || isWrittenByClient(data))) {
        await writeMetadata(file.meta, data)
        complete.push(path)
      } else incomplete.push(join(dirname(path), await setAside(file, data)))
    }
    return { complete, incomplete }
  }
}

/** Lists the empty files below a folder; none when the folder is missing. */
async function emptyFiles(run: RunCommand, folder: string): Promise<readonly string[]> {
  if ((await stat(folder).catch(unlessMissing)) === undefined) return []
  const args = [folder, '-type', 'f', '-size', '0', '-printf', String.raw`%P\0`]
  const result = await run('find', args, { deadlineMs: searchMs, maxOutputBytes })
  if (result.outcome !== 'exited' || result.exitCode !== 0)
    throw new Error(`Could not search ${folder} for damaged metadata: ${describeFailure(result)}.`)
  return result.stdout.split('\0').slice(0, -1)
}

/** Returns whether a client wrote the file: rclone sets the time of the object on a file that it downloads. */
function isWrittenByClient({ mtimeMs, ctimeMs }: Stats): boolean {
  return Math.abs(ctimeMs - mtimeMs) < sameTimeMs
}

/** Renames a file, because the object of its name may be newer or more complete. */
async function setAside(file: { readonly meta: string; readonly data: string }, data: Stats): Promise<string> {
  const name = basename(file.data)
  const suffix = `.incomplete-${Math.floor(data.ctimeMs / 1_000)}`
  const fits = Buffer.byteLength(name + suffix) <= longestNameBytes
  const newName = `${fits ? name : name.slice(0, 50)}${suffix}`
  await writeMetadata(join(dirname(file.meta), newName), data)
  await rename(file.data, join(dirname(file.data), newName))
  return newName
}

/** Writes metadata in rclone's format. */
async function writeMetadata(path: string, { mtime, size }: Stats): Promise<void> {
  const time = mtime.toISOString()
  const metadata = {
    ModTime: time,
    ATime: time,
    Size: size,
    Rs: [{ Pos: 0, Size: size }],
    Fingerprint: '',
    Dirty: true,
  }
  await writeFile(path, JSON.stringify(metadata), { flush: true })
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
}
