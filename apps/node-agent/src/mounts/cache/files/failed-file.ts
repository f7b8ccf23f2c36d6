import { readFile, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { isComplete, metaFolder } from './cached-file.js'

/** A file of a cache at one moment. */
export interface FileState {
  readonly inode: number
  readonly bytes: number
  /** Time of the last write, once the file is closed; clients can set it. */
  readonly writtenAtMs: number
  readonly changedAtMs: number
  /** rclone's metadata say that parts in its middle were never written. */
  readonly hasHole: boolean
  /** The filesystem stores less than its size: rclone counts as written where a client continued past a failed write. */
  readonly isSparse: boolean
}

/**
 * rclone sets the time of a write before it logs that the write failed, from the same clock, and the kernel passes on one write to
 * a file at a time. This is for the next one, which was already waiting and whose client is about to get the error.
 */
const graceMs = 5
/** A file that changed so long after its failure has been written again, or is in use. */
const lateMs = 60_000
const maxNameBytes = 255
/** Types of ext2 to ext4, xfs and tmpfs: filesystems that store fewer blocks for a hole, and for no other reason. */
const exactFilesystems = new Set([0xef_53, 0x58_46_53_42, 0x01_02_19_94])

const Metadata = z.object({
  Size: z.number(),
  Rs: z.nullable(z.array(z.object({ Pos: z.number(), Size: z.number() }))),
})

/** Reads the state of a file; undefined when the cache does not have it. */
export async function readFileState(cache: string, key: string): Promise<FileState | undefined> {
  try {
    const path = join(cache, 'vfs', key)
    const data = await stat(path)
    const isSparse = !isComplete(data) && exactFilesystems.has((await statfs(path)).type)
    const text = await readFile(join(metaFolder(cache), key), 'utf8').catch(() => '')
    const { ino: inode, size: bytes, mtimeMs: writtenAtMs, ctimeMs: changedAtMs } = data
    return { inode, bytes, writtenAtMs, changedAtMs, hasHole: hasHole(text, bytes), isSparse }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

/** Returns whether a closed file was written again after a write of it failed; `seen` is its state when the failure was found. */
export function isWrittenAgain(seen: FileState, now: FileState, failedAtMs: number): boolean {
  // A file that was uploaded and read in parts since then is sparse, too.
  if (seen.changedAtMs > failedAtMs + lateMs) return true
  if (now.hasHole || (now.isSparse && now.inode === seen.inode)) return false
  return now.inode !== seen.inode || now.bytes !== seen.bytes || now.writtenAtMs > failedAtMs + graceMs
}

/** Returns the path under which an incomplete file is kept. */
export function incompletePath(path: string, nowMs: number): string {
  const suffix = `.incomplete-${Math.floor(nowMs / 1_000)}`
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  let name = path.slice(folder.length)
  while (Buffer.byteLength(name) + suffix.length > maxNameBytes) name = Array.from(name).slice(0, -1).join('')
  return `${folder}${name}${suffix}`
}

/** Returns false for metadata that rclone has not updated: their size is not that of the data. */
function hasHole(text: string, bytes: number): boolean {
  const metadata = parse(text)
  if (metadata === undefined || metadata.Size !== bytes || metadata.Rs === null) return false
  return metadata.Rs.reduce((sum, { Size }) => sum + Size, 0) < bytes
}

function parse(text: string): z.infer<typeof Metadata> | undefined {
  try {
    return Metadata.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}
